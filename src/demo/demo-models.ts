/** What do the demo models say? Each shows one verdict; the second reply is the one to a correction or continuation. */

/** One reply of a demo model. */
export interface DemoReply {
  readonly content: string | null;
  readonly finish: 'stop' | 'length';
  readonly refusal?: string;
}

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

/** The clean ticket with the text of one member replaced as it stands, unescaped. */
function withRaw(member: 'quote' | 'summary', raw: string): string {
  return CLEAN.replace(JSON.stringify(TICKET[member]), () => `"${raw}"`);
}

export const DEMO_MODELS: readonly DemoModel[] = [
  { id: 'demo/clean', shows: 'verified', first: stop(CLEAN) },
  {
    id: 'demo/fenced',
    shows: 'repaired: a code fence is left out',
    first: stop(`\`\`\`json\n${CLEAN}\n\`\`\``),
  },
  {
    id: 'demo/unescaped',
    shows: 'repaired: raw line breaks and a lone backslash in a string',
    first: stop(withRaw('quote', 'It ends at row 1000\nin C:\\Data\\export,\nwhatever I choose.')),
  },
  {
    id: 'demo/ambiguous',
    shows: 'corrected: \\n may be a line break or part of the path',
    first: stop(withRaw('quote', 'It ends in D:\\Users\\nora\\export.')),
    second: stop(withRaw('quote', 'It ends in D:\\\\Users\\\\nora\\\\export.')),
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
  { id: 'demo/slow', shows: 'verified, after five seconds', first: stop(CLEAN), delayMs: 5000 },
];
