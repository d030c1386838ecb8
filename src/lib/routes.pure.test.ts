import { describe, expect, it } from 'vitest';
import { safeNextPath } from './access/next-path';
import { ROUTES, routeOf, routesFor, shapeOf } from './routes';

describe('routes', () => {
  it('offers a role only the pages it may open', () => {
    expect(routesFor('super_admin')).toEqual(ROUTES);
    for (const { minRole } of routesFor('domain_admin')) expect(minRole).toBe('domain_admin');
  });

  it('gives no two pages the same key', () => {
    const jumps = ROUTES.flatMap(({ jump, label }) => (jump ? [{ jump, label }] : []));
    expect(new Set(jumps.map(({ jump }) => jump)).size).toBe(jumps.length);
    for (const { jump, label } of jumps) expect(jump, label).toMatch(/^[a-z]$/);
  });

  it('finds the page a deeper address belongs to, and none for an unknown one', () => {
    expect(routeOf('/messages/01a1f2f7')?.label).toBe('Messages');
    expect(routeOf('/')?.label).toBe('Overview');
    expect(routeOf('/messagesx')).toBeUndefined();
  });

  it.each([
    ['/aliases', 'list'],
    ['/aliases/01a1f2f7', 'detail'],
    ['/mailboxes/01a1f2f7/misuse', 'detail'],
    ['/sieve-filters/new', 'form'],
    ['/', 'form'],
    ['/nowhere', 'form'],
  ])('knows what the page of %s looks like', (path, shape) => {
    expect(shapeOf(path)).toBe(shape);
  });

  it.each(['/messages?q=a%40b', '/domains/01a1f2f7'])('goes on to %s after signing in', (path) => {
    expect(safeNextPath(path)).toBe(path);
  });

  it.each([
    null,
    '',
    'messages',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/login?next=/login',
    '/setup?token=x',
  ])('goes to the overview rather than to %j', (path) => {
    expect(safeNextPath(path)).toBe('/');
  });
});
