import { describe, expect, it } from 'vitest';
import { MAX_TOTAL } from '@/lib/lists';
import { type Progress, rankChoices, statusOf, unmistakable } from './choices';

const labels = (names: string[], q: string) =>
  rankChoices(
    names.map((label) => ({ value: label, label })),
    q,
  ).map(({ label }) => label);

describe('the order of choices', () => {
  it('has the name itself before those that begin with it, and these before those that contain it', () => {
    const names = ['a.shop.example', 'b.shop.example', 'shop.example', 'shop.example.net'];
    expect(labels(names, 'Shop.example')).toEqual([
      'shop.example',
      'shop.example.net',
      'a.shop.example',
      'b.shop.example',
    ]);
  });

  it('goes by the name alone, in any letter case', () => {
    const templates = ['Receipt-10', 'old Receipt-1', 'Receipt-1'].map((name) => {
      return { value: name, label: `${name} (shop.example)`, name };
    });
    expect(rankChoices(templates, 'receipt-1').map(({ value }) => value)).toEqual([
      'Receipt-1',
      'Receipt-10',
      'old Receipt-1',
    ]);
  });

  it('is the list’s without a text', () => {
    expect(labels(['b', 'a'], '')).toEqual(['b', 'a']);
  });
});

describe('the choice that Enter takes', () => {
  const choices = (...names: string[]) =>
    names.map((name, index) => ({ value: `${index}`, label: `${name}, 1`, name }));
  it.each([
    ['the only one', choices('shop'), 'sho', '0'],
    ['the one of that name', choices('Shop', 'shopping'), 'shop', '0'],
    ['none of several that begin with it', choices('shop', 'shopping'), 'sho', undefined],
    ['none of two with that name', choices('shop', 'Shop'), 'shop', undefined],
    ['none where nothing matches', [], 'shop', undefined],
  ])('is %s', (_, found, q, value) => {
    expect(unmistakable(found, q)?.value).toBe(value);
  });
});

describe('the status of a picker', () => {
  const noun = { one: 'domain', many: 'domains' };
  const shown: Progress = {
    ...{ noun, q: '', shown: 50, total: 1_200, hasMore: true, isSettled: true, isOffline: false, problem: null },
  };
  it.each<[string, Partial<Progress>, string]>([
    ['how many more there are', {}, '1,150 more, type to narrow'],
    ['that the count is a limit', { total: MAX_TOTAL }, 'Over 9,950 more, type to narrow'],
    ['that more match, without a count', { total: null }, 'More match, type to narrow'],
    ['that nothing matches', { q: 'x', shown: 0, total: 0, hasMore: false }, 'No matching domains'],
    ['that there is nothing', { shown: 0, total: 0, hasMore: false }, 'No domains yet'],
    ['that it searches', { isSettled: false }, 'Searching…'],
    ['why the call failed', { problem: 'Too many requests.' }, 'Couldn’t load domains. Too many requests.'],
    [
      'that the device is offline, whatever failed before',
      { isOffline: true, problem: 'No response.' },
      'You’re offline. Reconnect to load domains.',
    ],
  ])('says %s', (_, progress, text) => {
    expect(statusOf({ ...shown, ...progress })).toEqual({ text, isVisible: true });
  });

  it('takes no room when every match is shown, but is announced', () => {
    const one = { ...shown, q: 'shop', shown: 1, total: 1, hasMore: false };
    expect(statusOf(one)).toEqual({ text: '1 domain', isVisible: false });
  });
});
