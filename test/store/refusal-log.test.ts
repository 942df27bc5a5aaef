import { describe, expect, it } from 'vitest';
import type { RefusalCode } from '../../src/refusal/catalogue.ts';
import { MemoryRefusalLog, type RefusalRecord } from '../../src/store/refusal-log.ts';

function record(id: string, route: string, code: RefusalCode = 'cut', time = 0): RefusalRecord {
  return {
    time,
    fingerprint: 'f',
    model: 'm',
    requestId: 'q',
    replies: ['{'],
    refusal: {
      code,
      message: '',
      param: null,
      route,
      choice: 0,
      at: 0,
      path: '$',
      calls: 1,
      refusalId: id,
      first: undefined,
      secondAttempt: undefined,
      rivals: undefined,
      usage: null,
    },
  };
}

describe('MemoryRefusalLog', () => {
  const log = new MemoryRefusalLog();
  log.add(record('1', 'a', 'cut', 10));
  log.add(record('2', 'b', 'cut', 20));
  log.add(record('3', 'a', 'empty', 30));
  const idsOf = (filter: Parameters<MemoryRefusalLog['list']>[0]): string[] =>
    log.list(filter).map(({ refusal }) => refusal.refusalId);

  it('lists the newest first', () => {
    expect(idsOf({ limit: 10 })).toEqual(['3', '2', '1']);
    expect(idsOf({ limit: 2 })).toEqual(['3', '2']);
  });

  it('lists by route, code and time, and counts the limit after them', () => {
    expect(idsOf({ limit: 1, route: 'a' })).toEqual(['3']);
    expect(idsOf({ limit: 9, code: 'cut' })).toEqual(['2', '1']);
    expect(idsOf({ limit: 9, route: 'a', code: 'cut' })).toEqual(['1']);
    expect(idsOf({ limit: 9, since: 20 })).toEqual(['3', '2']);
    expect(idsOf({ limit: 9, route: 'c' })).toEqual([]);
  });

  it('finds one by its id', () => {
    expect(log.find('2')).toEqual(record('2', 'b', 'cut', 20));
    expect(log.find('4')).toBeUndefined();
  });

  it('keeps the last thousand', () => {
    const full = new MemoryRefusalLog();
    for (let i = 1; i <= 1001; i += 1) full.add(record(String(i), 'a'));
    expect(full.find('1')).toBeUndefined();
    expect(full.find('2')).toBeDefined();
    const all = full.list({ limit: 5000 });
    expect([all.length, all[0]?.refusal.refusalId]).toEqual([1000, '1001']);
  });
});
