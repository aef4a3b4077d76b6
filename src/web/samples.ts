// Samples, which the build puts into the page as data: the conformance fixtures of 2.2 §17, and worked examples of
// the documents.

export interface Sample {
  readonly group: string;
  readonly title: string;
  readonly name: string;
  readonly text: string;
  readonly dialect: string;
}

export function samples(): readonly Sample[] {
  return JSON.parse(document.getElementById('samples')?.textContent ?? '[]') as Sample[];
}
