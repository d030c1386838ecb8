import { describe, expect, it } from 'vitest';
import type { MessageEvent } from '../../schema';
import { foldEvents } from './fold-events';

const at = '2026-11-21T09:41:07.000Z';
const event = (type: MessageEvent['type'], recipient: string | null, deliveryId?: string): MessageEvent => ({
  type,
  at,
  recipient,
  detail: { delivery_id: deliveryId },
});
const fold = (events: MessageEvent[]) =>
  foldEvents(events, ({ type }) => type).map(({ events: folded }) => `${folded[0].type} ${folded.length}`);
const recipients = Array.from({ length: 30 }, (_, index) => `r${index}@far.example`);

describe('a trace', () => {
  it('folds equal events of different recipients, also with webhook deliveries between them', () => {
    const results = recipients.flatMap((to) => [event('delivered', to), event('webhook', to, `delivery of ${to}`)]);
    const events = [event('accepted', null), event('queued', null), ...results];
    expect(fold(events)).toEqual(['accepted 1', 'queued 1', 'delivered 30', 'webhook 30']);
  });

  it('keeps the order of each recipient’s events', () => {
    const [first = '', second = '', ...others] = recipients;
    const events = [
      event('delivered', first),
      event('deferred', second),
      event('deferred', second),
      ...others.map((to) => event('delivered', to)),
      event('delivered', second),
    ];
    expect(fold(events)).toEqual(['delivered 29', 'deferred 1', 'deferred 1', 'delivered 1']);
  });

  it('is not folded if it is short, and its ids are unique', () => {
    const events = recipients.slice(0, 3).map((to) => event('delivered', to));
    expect(fold(events)).toEqual(['delivered 1', 'delivered 1', 'delivered 1']);
    expect(new Set(foldEvents(events, () => 'delivered').map(({ id }) => id)).size).toBe(3);
  });
});
