import { describe, expect, it } from 'vitest';
import type { TemplateParts } from '../schema';
import type { TemplateJobResult } from './jobs';
import { createTemplatePool, runTemplateJobAside } from './pool';

const parts = (over: Partial<TemplateParts>): TemplateParts => ({
  subject: 'Hello',
  html_body: null,
  text_body: null,
  ...over,
});

function render(over: Partial<TemplateParts>, values: object = {}): Promise<TemplateJobResult> {
  return runTemplateJobAside({ kind: 'render', key: null, parts: parts(over), values });
}

async function rendered(over: Partial<TemplateParts>, values: object = {}) {
  const result = await render(over, values);
  if (result.kind !== 'rendered') throw new Error(JSON.stringify(result));
  return result.rendered;
}

async function issuesOf(over: Partial<TemplateParts>, declared: string[] = []) {
  const result = await runTemplateJobAside({ kind: 'check', parts: parts(over), declared });
  return result.kind === 'checked' ? result.issues : [];
}

describe('rendering', () => {
  it('escapes values in HTML, and neither in the subject nor in the text', async () => {
    const name = `<b>"A" & 'B'</b>`;
    const source = 'For {{ name }}';
    expect(await rendered({ subject: source, html_body: source, text_body: source }, { name })).toEqual({
      subject: `For ${name}`,
      html_body: 'For &lt;b&gt;&#34;A&#34; &amp; &#39;B&#39;&lt;/b&gt;',
      text_body: `For ${name}`,
    });
    expect((await rendered({ html_body: '{{ name | raw }}' }, { name })).html_body).toBe(name);
  });

  it('makes the text of the HTML if the template has none, with the targets of links', async () => {
    const html =
      '<style>p{}</style><h1>Hi {{ name }}</h1><p>See <a href="{{ url }}">your order</a>.</p><a href="tel:+1">+1</a>';
    const { text_body: text } = await rendered(
      { html_body: html },
      { name: 'A & B', url: 'https://a.example/?x=1&y=2' },
    );
    expect(text).toBe('Hi A & B\nSee your order (https://a.example/?x=1&y=2).\n+1');
  });

  it('shows dates as they were sent, and a date alone as that day', async () => {
    const source = '{{ at | date: "%d %B %Y %H:%M" }}; {{ day | date: "%-d %b" }}';
    const values = { at: '2026-12-02T23:30:00+05:00', day: '2026-12-02' };
    expect((await rendered({ text_body: source }, values)).text_body).toBe('02 December 2026 23:30; 2 Dec');
  });

  it('reads no properties that JSON doesn’t have', async () => {
    const source = '{{ a.constructor }}{{ a.__proto__ }}{{ a.constructor.name }}{{ list.map }}[{{ list.size }}]';
    expect((await rendered({ text_body: source }, { a: { x: 1 }, list: [1] })).text_body).toBe('[1]');
  });

  it('leaves no half of a character that a filter divided', async () => {
    expect((await rendered({ text_body: '{{ name | split: "" | first }}' }, { name: '🎉' })).text_body).toBe('\ufffd');
  });

  it('parses a version once, and keeps the last 50', async () => {
    const job = (key: string, text: string) =>
      runTemplateJobAside({ kind: 'render', key, parts: parts({ text_body: text }), values: {} });
    await job('same', 'one');
    for (let count = 0; count < 49; count++) await job(`${count}`, 'x');
    expect(await job('same', 'two')).toMatchObject({ rendered: { text_body: 'one' } });
    for (let count = 0; count < 51; count++) await job(`${count}`, 'x');
    expect(await job('same', 'two')).toMatchObject({ rendered: { text_body: 'two' } });
  });
});

describe('checking', () => {
  it('reports where the template is no Liquid', async () => {
    const html = '<p>\n  {% if paid %}\n  {{ name | nope }}';
    expect(await issuesOf({ subject: 'Hi {{ name', html_body: html }, ['paid', 'name'])).toMatchObject([
      { part: 'subject', line: 1, column: 4 },
      { part: 'html_body', line: 3, column: 3, message: 'Undefined filter: nope.' },
    ]);
  });

  it('finds variables that are not declared, and knows those of loops and assignments', async () => {
    const source =
      '{% for item in items %}{{ item.n }}{{ forloop.index }}{% endfor %}{% assign k = 1 %}{{ k }}\n{{ nmae }}';
    expect(await issuesOf({ text_body: source }, ['items'])).toEqual([
      { part: 'text_body', line: 2, column: 4, message: 'The variable nmae is not declared.' },
    ]);
    expect(await issuesOf({ text_body: '{% if a == "x" and b contains c %}{% endif %}' }, ['a', 'b', 'c'])).toEqual([]);
  });

  it.each(['include', 'render', 'layout', 'block'])('knows no tag %s, which would read a file', async (tag) => {
    const [issue] = await issuesOf({ html_body: `{% ${tag} "/etc/passwd" %}` });
    expect(issue).toMatchObject({ part: 'html_body', line: 1, message: `Tag "${tag}" not found.` });
  });
});

describe('a template that would take for ever', () => {
  const long = 'a b'.repeat(40_000);

  it.each([
    ['an endless loop', '{% for i in (1..100000000) %}{% endfor %}'],
    [
      'nested loops',
      '{% for i in (1..9999) %}{% for j in (1..9999) %}{% for k in (1..9999) %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    [
      'a list that doubles',
      '{% assign a = "1,2" | split: "," %}{% for i in (1..40) %}{% assign a = a | concat: a %}{% endfor %}',
    ],
    [
      'a text that doubles',
      '{% assign a = "xx" %}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}{{ a }}',
    ],
    ['a wide number', '{{ "now" | date: "%900000000d" }}'],
    [
      'much sorting',
      '{% assign a = long | split: "" %}{% for i in (1..1000) %}{% assign b = a | sort | reverse %}{% endfor %}',
    ],
    ['deep blocks', `${'{% if true %}'.repeat(10_000)}${'{% endif %}'.repeat(10_000)}`],
    ['a long text', `{% for i in (1..9999) %}{% for j in (1..9999) %}${'x'.repeat(10_000)}{% endfor %}{% endfor %}`],
  ])('ends: %s', async (_, source) => {
    const started = Date.now();
    const result = await render({ html_body: source }, { long });
    expect(['checked', 'oversize']).toContain(result.kind);
    expect(Date.now() - started).toBeLessThan(4_000);
  });

  it('never holds the main thread, and ends at the deadline whatever it does', async () => {
    const run = createTemplatePool({ deadlineMs: 30 });
    const source = '{% for i in (1..9999) %}{% for j in (1..9999) %}{{ i }}{% endfor %}{% endfor %}';
    const [longest, failure] = await Promise.all([
      longestPause(),
      run({ kind: 'render', key: null, parts: parts({ html_body: source }), values: {} }).catch((error) => error),
    ]);
    expect(failure).toMatchObject({ apiCode: 'VALIDATION_ERROR', message: 'The template takes too long to render.' });
    expect(longest).toBeLessThan(200);
  });
});

async function longestPause(): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const end = last + 500;
  while (last < end) {
    await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return longest;
}
