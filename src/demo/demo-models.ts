/** What do the demo models say? Each shows one verdict; the second reply is the one to a correction or continuation. */

/** One reply of a demo model. */
export interface DemoReply {
  readonly content: string | null;
  readonly finish: 'stop' | 'length';
  readonly refusal?: string;
}

/** A model, and all that it ever says. */
export interface DemoModel {
  readonly id: string;
  /** What a newcomer sees when calling it. */
  readonly shows: string;
  readonly first: DemoReply;
  /** Undefined: the first once more. */
  readonly second?: DemoReply;
  /** How long the model thinks, milliseconds. */
  readonly delayMs?: number;
}

const TICKET = {
  category: 'bug',
  priority: 'P2',
  summary: 'Export stops after 1000 rows',
  quote: 'Every export ends at row 1000, whatever I choose.',
  tags: ['export', 'limit'],
} as const;

const CLEAN = JSON.stringify(TICKET);

const stop = (content: string): DemoReply => ({ content, finish: 'stop' });

/** The clean ticket with the JSON text of one member replaced as it stands. */
function withRaw(member: 'quote' | 'tags', raw: string): string {
  return CLEAN.replace(JSON.stringify(TICKET[member]), () => raw);
}

/** In the order in which they are listed. */
export const DEMO_MODELS: readonly DemoModel[] = [
  { id: 'demo/clean', shows: 'verified', first: stop(CLEAN) },
  {
    id: 'demo/fenced',
    shows: 'repaired: a code fence is left out',
    first: stop(`\`\`\`json\n${CLEAN}\n\`\`\``),
  },
  {
    id: 'demo/unescaped',
    shows: 'repaired: quotes, a line break and backslashes that should have been escaped',
    first: stop(withRaw('quote', '"It says "done",\nbut C:\\Data\\export.csv ends at row 1000."')),
  },
  {
    id: 'demo/ambiguous',
    shows: 'corrected: unescaped quotes in a list, which may be one tag or two',
    first: stop(withRaw('tags', '["export","the "limit", "rows" setting"]')),
    second: stop(withRaw('tags', '["export","the \\"limit\\", \\"rows\\" setting"]')),
  },
  {
    id: 'demo/duplicate',
    shows: 'corrected: the key "priority" comes twice',
    first: stop(CLEAN.replace('"summary"', '"priority":"P1","summary"')),
    second: stop(CLEAN),
  },
  {
    id: 'demo/unknown-key',
    shows: 'corrected: the key "severity" is not in the contract',
    first: stop(CLEAN.replace('"priority"', '"severity"')),
    second: stop(CLEAN),
  },
  {
    id: 'demo/cut',
    shows: 'continued: the reply stopped at its length limit',
    first: { content: CLEAN.slice(0, 96), finish: 'length' },
    second: stop(CLEAN.slice(96)),
  },
  {
    id: 'demo/stubborn',
    shows: 'refused: wrong twice',
    first: stop(CLEAN.replace('"P2"', '"urgent"')),
    second: stop(CLEAN.replace('"P2"', '"very urgent"')),
  },
  {
    id: 'demo/declined',
    shows: 'refused: the model declined',
    first: { content: null, finish: 'stop', refusal: 'I cannot help with this ticket.' },
  },
  { id: 'demo/slow', shows: 'verified, after three seconds', first: stop(CLEAN), delayMs: 3000 },
];
