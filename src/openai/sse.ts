/** How do server-sent events become data and back? Decoding is a well-kept parser's; encoding is one line. */

import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Longest event, UTF-16 code units. */
const MAX_EVENT = 16_777_216;

/** Decodes a body piece by piece: split characters, CR, LF and CRLF, comments and missing spaces are all fine. */
export class SseDecoder {
  /** Fatal: a replacement character is a letter that the model never said. */
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private readonly parser: EventSourceParser;
  private events: string[] = [];
  private tooLong = false;

  constructor() {
    this.parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: (event) => this.events.push(event.data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.tooLong = true;
      },
    });
  }

  /** The data of the events that `bytes` complete; undefined where one is too long or is not UTF-8. */
  push(bytes: Uint8Array): readonly string[] | undefined {
    return this.take(() => this.decoder.decode(bytes, { stream: true }));
  }

  /** The data of an event that the end of the body completes: servers forget the last empty line. */
  end(): readonly string[] | undefined {
    return this.take(() => `${this.decoder.decode()}\n\n`);
  }

  private take(decode: () => string): readonly string[] | undefined {
    try {
      this.parser.feed(decode());
    } catch {
      return undefined;
    }
    const { events } = this;
    this.events = [];
    return this.tooLong ? undefined : events;
  }
}

/** One event. `data` holds no line break. */
export function sseEvent(data: string): string {
  return `data: ${data}\n\n`;
}

/** A line that clients ignore and that keeps the connection alive. */
export const SSE_COMMENT = ': portcullis is verifying the reply\n\n';
