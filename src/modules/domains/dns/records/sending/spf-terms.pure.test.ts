import { expect, it } from 'vitest';
import { syntaxProblem, withoutTrailingDots } from './spf-terms';

it.each([
  'v=spf1 include:%{ir}.%{v}.%{d}.spf.far.example ~all',
  'v=spf1 exists:%{i}._spf.far.example -exists:%{l1r-}.%{d2}.x.example -all',
  'V=SPF1 IP4:192.0.2.1 ip6:2001:db8::/32 ip6:::ffff:192.0.2.1 A/24 mx/24//64 a:_f._a.example/24//64 ptr:a.example ptr ?ALL',
  'v=spf1 a:%{d} mx:%{h}/24 redirect=_spf.far.xn--p1ai',
  'v=spf1 exp=%{l}.%{o}.exp.example moo.1=%_%% a:3com.example. -all',
])('%s is written as it should be', (record) => {
  expect(syntaxProblem(record)).toBeNull();
});

it.each([
  ['v=spf1 mx/33 -all', 'mx/33'],
  ['v=spf1 mx//129 -all', 'mx//129'],
  ['v=spf1 a:b -all', 'a:b'],
  ['v=spf1 a:b..example -all', 'a:b..example'],
  ['v=spf1 include -all', 'include'],
  ['v=spf1 mx ip6:192.0.2.1 -all', 'ip6:192.0.2.1'],
  ['v=spf1 mx ip4:192.0.2.0/24/8 -all', 'ip4:192.0.2.0/24/8'],
  ['v=spf1 mx; a -all', 'mx;'],
  ['v=spf1 mx a:müller.example -all', 'a:müller.example'],
  [`v=spf1 ${'a:%{d}'.repeat(600)}% -all`, `${'a:%{d}'.repeat(600)}%`],
])('of %s, the wrong term is named', (record, term) => {
  expect(syntaxProblem(record)?.term).toBe(term);
});

it('only dots at the end of names go', () => {
  expect(withoutTrailingDots('v=spf1 a:b.example./24 +mx:c.example. include:d.example. exp=e.example. -all.')).toBe(
    'v=spf1 a:b.example/24 +mx:c.example include:d.example exp=e.example. -all.',
  );
});
