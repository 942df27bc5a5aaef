/** Where do the lines of a byte stream end? At each line feed; a line longer than the limit is told, not kept. */

/** One line without its line feed, or one that was longer than the limit and is gone. */
export type Line = { readonly ok: true; readonly text: string } | { readonly ok: false };

/** Cuts a stream of UTF-8 bytes into lines, linear in its length whatever its pieces are. */
export class LineSplitter {
  private readonly maxCodeUnits: number;
  private readonly decoder = new TextDecoder();
  private pieces: string[] = [];
  private length = 0;

  constructor(maxCodeUnits: number) {
    this.maxCodeUnits = maxCodeUnits;
  }

  /** The lines that end in this piece. */
  push(bytes: Uint8Array): readonly Line[] {
    const text = this.decoder.decode(bytes, { stream: true });
    const lines: Line[] = [];
    let from = 0;
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', from)) {
      this.keep(text.slice(from, feed));
      lines.push(this.take());
      from = feed + 1;
    }
    this.keep(text.slice(from));
    return lines;
  }

  /** The last line, where the stream did not end with a line feed. */
  end(): Line {
    this.keep(this.decoder.decode());
    return this.take();
  }

  private keep(text: string): void {
    this.length += text.length;
    if (this.length > this.maxCodeUnits) this.pieces = [];
    else this.pieces.push(text);
  }

  private take(): Line {
    const line: Line =
      this.length > this.maxCodeUnits ? { ok: false } : { ok: true, text: this.pieces.join('') };
    this.pieces = [];
    this.length = 0;
    return line;
  }
}
