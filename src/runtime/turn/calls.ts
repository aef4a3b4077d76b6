// The calls of an output: approved where that is asked for, then made side by side.

import { diagnose } from '../../errors.ts';
import type { TranscriptData } from '../../model/data.ts';
import type { StreamDiagnostic } from '../stream/event.ts';
import type { Outcome, RoutedCall } from '../router/types.ts';
import type { ToolRouter } from '../router/router.ts';
import type { Interruption } from './source.ts';
import type { Approval, Approve, OpenCall, TurnEvent } from './types.ts';

/** What became of open calls, in their order; null: a call stays open. */
export interface Made {
  readonly outcomes: readonly (Outcome | null)[];
  /** What `approve` threw first. */
  readonly failure: { readonly cause: unknown } | null;
}

export interface CallMaker {
  readonly router: ToolRouter;
  readonly approve: Approve | undefined;
  readonly header: TranscriptData['header'] | undefined;
  readonly interruption: Interruption;
  readonly tell: (event: TurnEvent) => Promise<void> | undefined;
}

/** Asks for the approvals, and makes the calls that have them. Whose an id is does not depend on who answers first. */
export async function makeCalls(open: readonly OpenCall[], maker: CallMaker): Promise<Made> {
  const { router, header } = maker;
  const calls = open.map(({ call }) => ({ ...call, ...(header != null && { header }) }));
  router.expectCalls(calls);
  try {
    return await makeExpected(open, calls, maker);
  } finally {
    router.expectNoMore(calls);
  }
}

async function makeExpected(
  open: readonly OpenCall[], calls: readonly RoutedCall[], maker: CallMaker,
): Promise<Made> {
  const { router, approve, interruption, tell } = maker;
  const asked = calls.map((call) => (approve ? router.inspect(call) : null));
  for (const [index, inspected] of asked.entries()) {
    if (inspected === null) continue;
    const { messageId, call: { callId = null } } = open[index]!;
    await tell({ type: 'turn.approval', message_id: messageId, call_id: callId, recipient: inspected.recipient });
  }
  let failure: Made['failure'] = null;
  const outcomes = await Promise.all(calls.map(async (call, index) => {
    const { signal } = interruption;
    const inspected = asked[index];
    if (interruption.isThere) return null;
    if (inspected == null) return router.dispatch(call, signal);
    try {
      const request = { ...inspected, callId: call.callId ?? null, call: open[index]!.call, signal };
      const given = await interruption.during(Promise.resolve(request).then(approve!));
      return given === null ? null : decided(router, call, given.value, signal);
    } catch (cause) {
      failure ??= { cause };
      return null;
    }
  }));
  return { outcomes, failure };
}

/** Anything but `true` makes no call. */
function decided(
  router: ToolRouter, call: RoutedCall, approval: Approval, signal: AbortSignal,
): Promise<Outcome> | Outcome | null {
  if (approval === true) return router.dispatch(call, signal);
  if (approval == null) return null;
  if (approval === false) return router.deny(call);
  if (typeof approval === 'object' && typeof approval.reason === 'string') return router.deny(call, approval.reason);
  throw new TypeError('option approve: expected true, false, { reason } or null');
}

/** Tells what became of a call, and gives what is told of it as a finding. */
export async function tellOutcome(
  { messageId, from, to }: OpenCall, outcome: Outcome, tell: CallMaker['tell'],
): Promise<StreamDiagnostic[]> {
  const { callId, status, warning, reason } = outcome;
  const found: StreamDiagnostic[] = [];
  if (warning !== undefined) {
    const diagnostic = diagnose({ rule: warning, severity: 'warning', from, to }, 0, false);
    found.push(diagnostic);
    await tell({ type: 'diagnostic', message_id: messageId, diagnostic });
  }
  if (status === 'cancelled' && reason !== undefined) {
    await tell({ type: 'tool.cancel', message_id: messageId, call_id: callId, reason });
  }
  await tell({ type: 'turn.outcome', message_id: messageId, outcome });
  return found;
}
