import type { MessageEvent } from '../../schema';

export type FoldedEvents = { id: string; events: [MessageEvent, ...MessageEvent[]] };

/** A trace with more events is folded: a message can have hundreds. */
const SHOWN_EVENTS = 12;

/**
 * Puts equal events of different recipients, or equal deliveries of one webhook, where the first of them is. Each
 * recipient's events stay in order: an event does not join others from before an earlier event of its recipient.
 */
export function foldEvents(events: MessageEvent[], kindOf: (event: MessageEvent) => string): FoldedEvents[] {
  const folded: FoldedEvents[] = [];
  const lastOfKind = new Map<string, number>();
  const lastOfSubject = new Map<string, number>();
  const countOfKind = new Map<string, number>();
  for (const event of events) {
    const kind = kindOf(event);
    const subject = event.detail.delivery_id ?? event.recipient;
    const candidate = lastOfKind.get(kind) ?? -1;
    const isJoining = events.length > SHOWN_EVENTS && subject && candidate > (lastOfSubject.get(subject) ?? -1);
    const index = isJoining ? candidate : folded.length;
    if (isJoining) folded[index]?.events.push(event);
    else {
      const count = (countOfKind.get(kind) ?? 0) + 1;
      countOfKind.set(kind, count);
      folded.push({ id: `${kind} ${count}`, events: [event] });
    }
    lastOfKind.set(kind, index);
    if (subject) lastOfSubject.set(subject, index);
  }
  return folded;
}
