// A question and its answer under the names that others have for a prompt and its completion: where they stand, until
// the record ends. They are read where nothing else is, and no request may stand beside them.

import { HAS_ANSWER, HAS_PROBLEM, HAS_QUESTION, HAS_RESPONSE, HAS_SOLUTION, HAS_SYSTEM_PROMPT } from './other-keys';

// Addresses of texts, with their quotes; 0: there is none.
export let question: usize = 0;
export let systemPrompt: usize = 0;
let problem: usize = 0;
let answer: usize = 0;
let response: usize = 0;
let solution: usize = 0;
/** Something stands beside them that the host must look at. */
let isUnsure: bool = false;

export function beginQuestions(): void {
  question = systemPrompt = problem = answer = response = solution = 0;
  isUnsure = false;
}

export function markUnsure(): void { isUnsure = true; }

/** Keeps where the text of a member stands. */
export function keepQuestion(p: usize, bit: u32): void {
  if (bit == HAS_QUESTION) question = p;
  else if (bit == HAS_PROBLEM) problem = p;
  else if (bit == HAS_ANSWER) answer = p;
  else if (bit == HAS_RESPONSE) response = p;
  else if (bit == HAS_SOLUTION) solution = p;
  else systemPrompt = p;
}

/** The answer to a prompt, or to the question without one (0), which `question` is then; 0: nobody knows. */
export function answerTo(prompt: usize): usize {
  if (isUnsure) return 0;
  if (prompt != 0) return question == 0 && problem == 0 ? response : 0;
  if (problem != 0) {
    if (question != 0) return 0;
    question = problem;
    return solution;
  }
  // Which of two it is depends on what the question is called.
  return question == 0 || (answer != 0 && response != 0) ? 0 : answer | response;
}

/** The members that a question and an answer to it stand in. */
export function membersOf(side: usize): u32 {
  const answered = side == answer ? HAS_ANSWER : side == response ? HAS_RESPONSE : HAS_SOLUTION;
  return answered | HAS_QUESTION | HAS_PROBLEM | HAS_SYSTEM_PROMPT;
}
