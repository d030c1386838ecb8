import { expect, it } from 'vitest';
import { type ParsedTemplate, parseTemplate, renderTemplate } from './liquid';

/** Each use of the value takes longer than a part can work. */
const slow = {
  get value() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 510);
    return 'x';
  },
};
const parsed = parseTemplate({ subject: '{{ value }}{{ value }}', html_body: null, text_body: 'Hi' }) as ParsedTemplate;

it.each([
  ['renders a part on, while other programs have the processors', 0, { subject: 'xx', text_body: 'Hi' }],
  ['ends a part that works too long', 1, { part: 'subject', message: 'Rendering takes longer than 500 ms.' }],
])('%s', (_, share, result) => {
  const times = () => ({ clock: performance.now(), processors: performance.now() * share });
  expect(renderTemplate(parsed, slow, times)).toMatchObject(result);
});
