/** For each shipped contract: a reply that verifies, and one that is refused with its code and the key or path. */

export interface Example {
  readonly route: string;
  readonly good: string;
  readonly bad: string;
  readonly code: string;
  readonly param: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    route: 'canary',
    good: '{"healthy":false,"decision":"roll_back","reason":"p99 doubled","metrics":{"p99_ms":412.5,"error_rate":2e-3}}',
    bad: '{"healthy":"false","decision":"roll_back","reason":"p99 doubled"}',
    code: 'wrong_type',
    param: 'healthy',
  },
  {
    route: 'daemon-conflicts',
    good: '{"conflicts":[{"a":"backup","b":"compact","path":"/var/lib/db","reason":"both lock it","severity":"high"}],"resolution":"run compact after backup"}',
    bad: '{"resolution":"none needed"}',
    code: 'missing_key',
    param: 'conflicts',
  },
  {
    route: 'daemon-state',
    good: '{"state":"stopped","pid":null,"since":null,"last_error":"exit code 137","jobs":[]}',
    bad: '{"state":"running","pid":0,"since":"2026-11-30T08:00:00Z"}',
    code: 'wrong_type',
    param: 'pid',
  },
  {
    route: 'demo',
    good: '{"category":"bug","priority":"P2","summary":"Export stops","quote":"It ends at row 1000.","tags":["export"]}',
    bad: '{"category":"bug","priority":"urgent","summary":"Export stops","quote":"It ends.","tags":[]}',
    code: 'wrong_type',
    param: 'priority',
  },
  {
    route: 'falsify',
    good: '{"verdict":"DISMISSED","reasoning":"The lock is taken before the write.","receipt":{"command":"rg -n lock src","output":"src/a.ts:12: lock()"}}',
    bad: '{"verdict":"CONFIRMED","reasoning":"It races.","verdict":"DISMISSED"}',
    code: 'duplicate_key',
    param: 'verdict',
  },
  {
    route: 'invoice',
    good: '{"vendor":"Nordwind","number":"2026-118","date":"2026-11-03","currency":"EUR","lines":[{"description":"Cable","qty":3,"unit_price":12345678901234567.89,"taxable":true}],"total":1250.00,"paid":false,"notes":null}',
    bad: '{"vendor":"Nordwind","number":"2026-118","date":"2026-11-03","currency":"EUR","lines":[{"description":"Cable","qty":0,"unit_price":4.5}],"total":0,"paid":false}',
    code: 'wrong_type',
    param: 'lines[0].qty',
  },
  {
    route: 'review',
    good: '{"findings":[{"file":"a.ts","line":3,"severity":"high","description":"off by one","excerpt":"i <= n"}],"code_excerpts":[{"file":"a.ts","start_line":1,"end_line":4,"content":"for (…)"}],"context_quotes":[]}',
    bad: '{"code_excerpts":[],"context_quotes":[{"source":"README","quote":"fast"}]}',
    code: 'missing_key',
    param: 'findings',
  },
  {
    route: 'router',
    good: '{"tool":"files","content":{"action":"edit","path":"a.ts","find":"x","replace":"y"},"done":false}',
    bad: '{"tool":"chat","content":{"action":"edit","path":"a.ts"},"done":false}',
    code: 'wrong_type',
    param: 'content',
  },
  {
    route: 'runtime',
    good: '{"status":"degraded","observations":["memory grows by 2 MB a minute"],"errors":[{"message":"ETIMEDOUT","count":4}],"next_step":"take a heap snapshot"}',
    bad: '{"status":"degraded","observations":["memory grows"],"next_step":"look","confidence":0.9}',
    code: 'unknown_key',
    param: 'confidence',
  },
];
