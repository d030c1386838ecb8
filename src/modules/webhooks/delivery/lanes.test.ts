import { describe, expect, it } from 'vitest';
import { createLanes, type Lane } from './lanes';

const EMPTY = { wanted: 512, wantedFailing: 64, perEndpoint: 8, perUnproven: 2 };

type Lanes = ReturnType<typeof createLanes>;

describe('room', () => {
  it('is 512 for endpoints that do not fail and 64 for those that do', () => {
    expect(createLanes().room()).toEqual(EMPTY);
  });

  it('shrinks by what enters, proven or not, and grows by what leaves', () => {
    const lanes = createLanes();
    enter(lanes, 'proven', 3);
    enter(lanes, 'unproven', 2);
    expect(lanes.room()).toEqual({ ...EMPTY, wanted: 507 });
    leave(lanes, 'proven', 1);
    expect(lanes.room()).toEqual({ ...EMPTY, wanted: 508 });
    leave(lanes, 'proven', 2);
    leave(lanes, 'unproven', 2);
    expect(lanes.room()).toEqual(EMPTY);
  });

  it('is left to others by what fails and by tests', () => {
    const lanes = createLanes();
    enter(lanes, 'failing', 10);
    expect(lanes.room()).toEqual({ ...EMPTY, wantedFailing: 54 });
    enter(lanes, 'test', 16);
    expect(lanes.room()).toEqual({ ...EMPTY, wantedFailing: 54 });
    leave(lanes, 'failing', 10);
    leave(lanes, 'test', 16);
    expect(lanes.room()).toEqual(EMPTY);
  });

  it('for what fails is not taken by what does not', () => {
    const lanes = createLanes();
    enter(lanes, 'proven', 512);
    expect(lanes.room()).toEqual({ ...EMPTY, wanted: 0 });
  });

  it('is never less than none', () => {
    const lanes = createLanes();
    enter(lanes, 'proven', 513);
    enter(lanes, 'failing', 65);
    expect(lanes.room()).toMatchObject({ wanted: 0, wantedFailing: 0 });
  });

  it('is 1 rather than 2 for an endpoint that has proved nothing, while 128 such are under way', () => {
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
  it('are 2 at once for one webhook, whatever else is under way for it', () => {
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

  it('are 16 at once in all', () => {
    const lanes = createLanes();
    for (let count = 0; count < 15; count++) enter(lanes, 'test', 1, `webhook ${count}`);
    expect(lanes.hasRoomForTest('other')).toBe(true);
    enter(lanes, 'test', 1, 'last');
    expect(lanes.hasRoomForTest('other')).toBe(false);
    leave(lanes, 'test', 1, 'last');
    expect(lanes.hasRoomForTest('other')).toBe(true);
  });
});

it('long bodies are 2 at once, in whichever lanes', () => {
  const lanes = createLanes();
  const one = { lane: 'failing' as const, isLong: true, webhookId: 'one' };
  const other = { lane: 'proven' as const, isLong: true, webhookId: 'other' };
  enter(lanes, 'unproven', 9);
  lanes.enter(one);
  expect(lanes.hasRoomForLong()).toBe(true);
  lanes.enter(other);
  expect(lanes.hasRoomForLong()).toBe(false);
  leave(lanes, 'unproven', 9);
  expect(lanes.hasRoomForLong()).toBe(false);
  lanes.leave(one);
  expect(lanes.hasRoomForLong()).toBe(true);
});

function enter(lanes: Lanes, lane: Lane, count: number, webhookId = 'any'): void {
  for (let left = count; left > 0; left--) lanes.enter({ lane, isLong: false, webhookId });
}

function leave(lanes: Lanes, lane: Lane, count: number, webhookId = 'any'): void {
  for (let left = count; left > 0; left--) lanes.leave({ lane, isLong: false, webhookId });
}
