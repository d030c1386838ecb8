import { expect, it } from 'vitest';
import { byDomain } from './by-domain';

const ADDRESSES = ['abuse@c.example', 'abuse@a.example', 'abuse@b.example', 'hello@b.example', 'hello@a.example'];
const same = (address: string) => address;

it('orders equal local parts by their domain, in the order of the list', () => {
  expect(byDomain(ADDRESSES, same, { field: 'local_part', order: 'asc' })).toEqual([
    'abuse@a.example',
    'abuse@b.example',
    'abuse@c.example',
    'hello@a.example',
    'hello@b.example',
  ]);
  expect(byDomain(['x@a.example', 'x@b.example'], same, { field: 'source_local_part', order: 'desc' })).toEqual([
    'x@b.example',
    'x@a.example',
  ]);
});

it('leaves other orders as they are', () => {
  expect(byDomain(ADDRESSES, same, { field: 'created_at', order: 'asc' })).toBe(ADDRESSES);
  expect(byDomain(ADDRESSES, same, undefined)).toBe(ADDRESSES);
});
