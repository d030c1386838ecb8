import { describe, expect, it } from 'vitest';
import { createLanes, type Lane } from './lanes';

const EMPTY = { wanted: 128, wantedFailing: 64, perEndpoint: 8, perUnproven: 2 };

type Lanes = ReturnType<typeof createLanes>;

describe('free slots', () => {
  it('are 512 for healthy endpoints, 128 of them for one claim, and 64 for failing ones', () => {
    const lanes = createLanes();
    expect(lanes.room()).toEqual(EMPTY);
    enter(lanes, 'proven', 512 - 128);
    expect(lanes.room()).toEqual(EMPTY);
    expect(lanes.hasRoomForFullClaim()).toBe(true);
    enter(lanes, 'proven', 1);
    expect(lanes.room()).toEqual({ ...EMPTY, wanted: 127 });
    expect(lanes.hasRoomForFullClaim()).toBe(false);
  });

  it('decrease when an attempt starts, proven or unproven, and increase when it ends', () => {
    const lanes = createLanes();
    enter(lanes, 'proven', 503);
    enter(lanes, 'unproven', 2);
    expect(lanes.room()).toEqual({ ...EMPTY, wanted: 7 });
    leave(lanes, 'proven', 1);
    expect(lanes.room()).toEqual({ ...EMPTY, wanted: 8 });
    leave(lanes, 'proven', 502);
    leave(lanes, 'unproven', 2);
    expect(lanes.room()).toEqual(EMPTY);
  });

  it('for healthy endpoints are not taken by failing endpoints or tests', () => {
    const lanes = createLanes();
    enter(lanes, 'failing', 10);
    expect(lanes.room()).toEqual({ ...EMPTY, wantedFailing: 54 });
    enter(lanes, 'test', 16);
    expect(lanes.room()).toEqual({ ...EMPTY, wantedFailing: 54 });
    leave(lanes, 'failing', 10);
    leave(lanes, 'test', 16);
    expect(lanes.room()).toEqual(EMPTY);
  });

  it('for failing endpoints are not taken by healthy ones', () => {
    const lanes = createLanes();
    enter(lanes, 'proven', 512);
    expect(lanes.room()).toEqual({ ...EMPTY, wanted: 0 });
  });

  it('are never negative', () => {
    const lanes = createLanes();
    enter(lanes, 'proven', 513);
    enter(lanes, 'failing', 65);
    expect(lanes.room()).toMatchObject({ wanted: 0, wantedFailing: 0 });
  });

  it('of an unproven endpoint drop from 2 to 1 while 128 unproven attempts are in flight', () => {
    const lanes = createLanes();
    enter(lanes, 'proven', 128);
    enter(lanes, 'unproven', 127);
    expect(lanes.room().perUnproven).toBe(2);
    enter(lanes, 'unproven', 1);
    expect(lanes.room()).toMatchObject({ perUnproven: 1, perEndpoint: 8 });
    leave(lanes, 'unproven', 1);
    expect(lanes.room().perUnproven).toBe(2);
  });
});

describe('tests', () => {
  it('are limited to 2 at a time per webhook, independent of its deliveries', () => {
    const lanes = createLanes();
    enter(lanes, 'proven', 8, 'one');
    enter(lanes, 'test', 1, 'one');
    expect(lanes.hasRoomForTest('one')).toBe(true);
    enter(lanes, 'test', 1, 'one');
    expect([lanes.hasRoomForTest('one'), lanes.hasRoomForTest('other')]).toEqual([false, true]);
    leave(lanes, 'proven', 8, 'one');
    expect(lanes.hasRoomForTest('one')).toBe(false);
    leave(lanes, 'test', 1, 'one');
    expect(lanes.hasRoomForTest('one')).toBe(true);
    enter(lanes, 'test', 1, 'one');
    expect(lanes.hasRoomForTest('one')).toBe(false);
  });

  it('are limited to 16 at a time in total', () => {
    const lanes = createLanes();
    for (let count = 0; count < 15; count++) enter(lanes, 'test', 1, `webhook ${count}`);
    expect(lanes.hasRoomForTest('other')).toBe(true);
    enter(lanes, 'test', 1, 'last');
    expect(lanes.hasRoomForTest('other')).toBe(false);
    leave(lanes, 'test', 1, 'last');
    expect(lanes.hasRoomForTest('other')).toBe(true);
  });
});

it('long bodies are limited to 2 at a time to failing endpoints, and to 2 in all other lanes', () => {
  const lanes = createLanes();
  const long = (lane: Lane) => ({ lane, isLong: true, webhookId: 'any' });
  const room = () => (['failing', 'proven', 'unproven'] as const).map(lanes.hasRoomForLong);
  enter(lanes, 'unproven', 9);
  lanes.enter(long('failing'));
  lanes.enter(long('proven'));
  expect(room()).toEqual([true, true, true]);
  lanes.enter(long('unproven'));
  expect(room()).toEqual([true, false, false]);
  leave(lanes, 'unproven', 9);
  lanes.enter(long('failing'));
  expect(room()).toEqual([false, false, false]);
  lanes.leave(long('proven'));
  expect(room()).toEqual([false, true, true]);
});

function enter(lanes: Lanes, lane: Lane, count: number, webhookId = 'any'): void {
  for (let left = count; left > 0; left--) lanes.enter({ lane, isLong: false, webhookId });
}

function leave(lanes: Lanes, lane: Lane, count: number, webhookId = 'any'): void {
  for (let left = count; left > 0; left--) lanes.leave({ lane, isLong: false, webhookId });
}
