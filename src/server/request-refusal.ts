/** How is a request refused that cannot be held to its contract? Like a reply that is refused: counted, logged, kept. */

import { randomUUID } from 'node:crypto';
import type { Contract } from '../contract/contract.ts';
import type { RequestFault } from '../openai/chat-request.ts';
import { refuse } from '../reader/fault.ts';
import { refusalOf } from '../refusal/refusal.ts';
import { NO_ROUTE } from '../telemetry/metrics.ts';
import { type Answer, problemAnswer, refusalAnswer, routeHeader } from './answer.ts';
import type { Gate } from './gate.ts';

/** Which request was refused. */
export interface RefusedRequest {
  readonly route: string | undefined;
  readonly contract: Contract | undefined;
  readonly surface: 'chat' | 'other';
  readonly requestId: string;
}

/** The answer to a request fault: `invalid_request` is a problem, `unsupported` a refusal without an upstream call. */
export function refuseRequest(gate: Gate, request: RefusedRequest, fault: RequestFault): Answer {
  const { code, detail, param } = fault;
  if (code === 'invalid_request') return problemAnswer(code, detail, param);
  const { route, contract, surface, requestId } = request;
  const path = param === null ? [] : [param];
  const refusal = refusalOf({
    code,
    fault: { ...refuse('malformed', 0, detail).fault, path },
    first: undefined,
    secondAttempt: undefined,
    choice: 0,
    route,
    calls: 0,
    usage: undefined,
    refusalId: randomUUID(),
  });
  gate.metrics.exchanges.inc({ route: route ?? NO_ROUTE, surface, verdict: 'refused' });
  gate.metrics.refusals.inc({ route: route ?? NO_ROUTE, code });
  gate.refusals.add({
    time: Date.now(),
    refusal,
    fingerprint: contract?.fingerprint ?? '',
    model: undefined,
    requestId,
    replies: [],
  });
  gate.log.info(
    {
      route: route ?? null,
      surface,
      verdict: 'refused',
      code,
      refusal_id: refusal.refusalId,
      calls: 0,
      request_id: requestId,
    },
    'exchange',
  );
  return refusalAnswer(refusal, [
    ['x-portcullis-verdict', 'refused'],
    ['x-portcullis-calls', '0'],
    ...routeHeader(route),
  ]);
}
