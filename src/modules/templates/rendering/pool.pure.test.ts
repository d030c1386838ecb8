import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expectShortTurns } from '@/test/main-thread';
import { bundled } from '../../../../scripts/steps/programs.mjs';
import type { TemplateParts } from '../schema';
import type { TemplateJobResult } from './jobs';
import { createTemplatePool, runTemplateJobAside } from './pool';

const domainId = 'd';
/** Runs for a second or more in a filter that nothing interrupts, and needs about 250 MB. */
const TOO_MUCH = '{% assign a = (1..4900000) | uniq %}{{ a | size }}';

const parts = (over: Partial<TemplateParts>): TemplateParts => ({
  subject: 'Hello',
  html_body: null,
  text_body: null,
  ...over,
});

function render(over: Partial<TemplateParts>, values: object = {}): Promise<TemplateJobResult> {
  return runTemplateJobAside({ kind: 'render', domainId, key: null, parts: parts(over), values });
}

async function rendered(over: Partial<TemplateParts>, values: object = {}) {
  const result = await render(over, values);
  if (result.kind !== 'rendered') throw new Error(JSON.stringify(result));
  return result.rendered;
}

async function issuesOf(over: Partial<TemplateParts>, declared: string[] = []) {
  const result = await runTemplateJobAside({ kind: 'check', domainId, parts: parts(over), declared });
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

  it('shows the days of lists and objects, and a time without an offset, whatever the time zone of the app is', async () => {
    const source =
      '{% for one in list %}{{ one.on | date: "%-d %b %H:%M" }};{% endfor %}{{ at | date: "%-d %b %H:%M %z" }}';
    const values = { list: [{ on: '2026-12-02' }, { on: '2026-03-01' }], at: '2026-12-02T00:30' };
    const zone = process.env.TZ;
    process.env.TZ = 'America/New_York';
    // A process that starts now.
    const run = createTemplatePool();
    const result = await run({ kind: 'render', domainId, key: null, parts: parts({ text_body: source }), values });
    process.env.TZ = zone ?? 'UTC';
    expect(result).toMatchObject({ rendered: { text_body: '2 Dec 00:00;1 Mar 00:00;2 Dec 00:30 +0000' } });
  });

  it.each([
    ['many tags', '<b></b>'.repeat(25_001)],
    ['deep tags', '<b>'.repeat(5_001)],
  ])('makes no text of HTML with %s, and says so', async (_, html) => {
    const result = await render({ html_body: html });
    expect(result).toMatchObject({
      kind: 'checked',
      issues: [{ part: 'text_body', message: expect.stringMatching(/^The HTML has too many/) }],
    });
    expect((await rendered({ html_body: html, text_body: 'Hi' })).text_body).toBe('Hi');
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
      runTemplateJobAside({ kind: 'render', domainId, key, parts: parts({ text_body: text }), values: {} });
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

  it.each(['where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_exp', 'find_index_exp'])(
    'knows no filter %s, whose variables nobody checks',
    async (filter) => {
      const [issue] = await issuesOf({ text_body: `{{ items | ${filter}: "item", "typo" }}` }, ['items']);
      expect(issue).toMatchObject({ message: `Undefined filter: ${filter}.` });
    },
  );

  it('ends within the limit for a template with many variables', async () => {
    const html = `\n{% if a${' and a'.repeat(40_000)} %}{% endif %}\n {{ b }}`;
    expect(await issuesOf({ html_body: html }, ['a'])).toMatchObject([{ line: 3, column: 5 }]);
  });

  it.each(['include', 'render', 'layout', 'block'])('knows no tag %s, which would read a file', async (tag) => {
    const [issue] = await issuesOf({ html_body: `{% ${tag} "/etc/passwd" %}` });
    expect(issue).toMatchObject({ part: 'html_body', line: 1, message: `Tag "${tag}" not found.` });
  });
});

describe('a template that would take for ever', () => {
  const long = 'a b'.repeat(40_000);
  const DOUBLED =
    '{% assign a = "€€€€€€€€€€€€€€€" %}{% for i in (1..25) %}{% capture a %}{{ a | raw }}{{ a | raw }}{% endcapture %}{% endfor %}';

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
    ['a list of numbers', '{% assign a = (1..9900000) | uniq %}{{ a | size }}'],
    ['a list of equal values', '{% assign a = (1..9900000) | map: "x" %}{{ a | size }}'],
    ['groups', '{% assign a = (1..4900000) | group_by: "x" %}{{ a | size }}'],
    ['one large text in a filter', `${DOUBLED}{{ list | where: a }}`],
    ['one large text in a cycle', `${DOUBLED}{% cycle a: 1, 2 %}`],
    ['two large texts', `${DOUBLED}{% assign b = a | append: "" %}{% if a == b %}{% endif %}`],
  ])('ends: %s', async (_, source) => {
    const result = await render({ html_body: source }, { long, list: [{}] }).catch((error) => error);
    const refused = expect.objectContaining({ apiCode: 'VALIDATION_ERROR' });
    expect([{ kind: 'checked' }, { kind: 'oversize' }, refused]).toContainEqual(
      'kind' in result ? { kind: result.kind } : result,
    );
  });

  it('never holds the main thread, and ends at the deadline whatever it does', async () => {
    const run = createTemplatePool({ deadlineMs: 200 });
    await expectShortTurns(async () => {
      const job = run({ kind: 'render', domainId, key: null, parts: parts({ html_body: TOO_MUCH }), values: {} });
      const message = 'The template takes too long to render.';
      await expect(job).rejects.toMatchObject({ apiCode: 'VALIDATION_ERROR', message });
    });
  });
});

describe('the processes', () => {
  const job = (domain: string, html: string) =>
    ({ kind: 'render', domainId: domain, key: null, parts: parts({ html_body: html }), values: {} }) as const;

  it('end alone when they need too much memory, while other domains’ templates are rendered', async () => {
    const run = createTemplatePool({ deadlineMs: 60_000, maxHeapMb: 64 });
    const failure = Promise.all(Array.from({ length: 2 }, () => run(job('a', TOO_MUCH)).catch((error) => error)));
    const others = await Promise.all(['b', 'c', 'd'].map((domain) => run(job(domain, 'Hi'))));
    expect(others).toMatchObject(Array(3).fill({ rendered: { html_body: 'Hi' } }));
    const message = 'The template needs too much memory to render.';
    for (const error of await failure) expect(error).toMatchObject({ apiCode: 'VALIDATION_ERROR', message });
    expect(await run(job('a', 'Hi'))).toMatchObject({ rendered: { html_body: 'Hi' } });
  });

  it('refuse more jobs of a domain than can wait', async () => {
    const run = createTemplatePool({ maxWaiting: 1 });
    const [first, second, third] = [run(job('a', '1')), run(job('a', '2')), run(job('a', '3'))];
    await expect(third).rejects.toMatchObject({ apiCode: 'RATE_LIMIT_EXCEEDED', headers: { 'Retry-After': '10' } });
    expect(await Promise.all([first, second])).toHaveLength(2);
  });

  const APP = `
    const { createTemplatePool } = await import(process.argv[1]);
    const { execFileSync } = await import('node:child_process');
    await createTemplatePool()(${JSON.stringify(job('a', 'Hi'))});
    console.log(execFileSync('pgrep', ['-P', String(process.pid)], { encoding: 'utf8' }).split('\\n')[0]);
  `;
  const app = async (code: string) => {
    const pool = await bundled(process.cwd(), 'src/modules/templates/rendering/pool.ts');
    const args = ['--input-type=module', '-e', code, pathToFileURL(pool).href];
    return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  };

  it('keep no app running', async () => {
    const [code] = await once(await app(APP), 'exit');
    expect(code).toBe(0);
  });

  it('end with an app that is killed, and not with a signal that asks the app to stop', async () => {
    const running = await app(`${APP}; setInterval(() => {}, 1000);`);
    const [bytes] = await once(running.stdout, 'data');
    const pid = Number(String(bytes));
    process.kill(pid, 'SIGTERM');
    expect(isRunning(pid)).toBe(true);
    running.kill('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
