/**
 * When are two explanations one from here on? When they stand at the same place in the same frame: what comes later
 * costs both the same, so the one that is worse on a cost and better on none goes no further.
 */

import type { Explanation, Meeting } from './explanation.ts';

/** Every place where explanations of one text have met. They must come in the order of what they swallow. */
export class Meetings {
  private readonly places = new Map<number, Meeting[]>();

  /** The explanation with its meeting point, or undefined where another one stands for it. */
  meet(swallowed: number, explanation: Explanation): Explanation | undefined {
    const { at, frame, unbalanced, repeated, via } = explanation;
    const place = (frame.id * 0x200000 + at) * 2 + (repeated === undefined ? 0 : 1);
    const met = this.places.get(place) ?? [];
    for (const meeting of met) {
      if (meeting.unbalanced > unbalanced) continue;
      // All that is here came with no more swallowed. Equal on both costs, it is a tie for whatever comes of it.
      const equal = meeting.unbalanced === unbalanced && meeting.swallowed === swallowed;
      if (equal && meeting.tied === false) meeting.tied = explanation.late;
      return undefined;
    }
    const meeting: Meeting = { tied: false, unbalanced, swallowed, before: via };
    met.push(meeting);
    this.places.set(place, met);
    return { ...explanation, via: meeting };
  }
}
