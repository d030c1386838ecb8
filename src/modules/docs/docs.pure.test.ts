import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { helpOf, PAGE_HELP, ROUTES } from '@/lib/routes';
import { CHAPTER_GROUPS, isChapter, readChapter, searchChapters, sectionsNamed } from './chapters';
import { renderPage } from './render';

const chapters = CHAPTER_GROUPS.flatMap(({ chapters: names }) => Object.keys(names)).filter(isChapter);
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

it('serves every chapter of docs/, whose folders are for contributors', () => {
  const files = readdirSync('docs').filter((name) => name.endsWith('.md'));
  expect([...chapters].sort()).toEqual(files.map((name) => name.replace('.md', '')).sort());
});

it.each(chapters)('has a title, text and no link that leads nowhere: %s', (name) => {
  const { title, html, sections } = readChapter(name);
  expect(title.length).toBeGreaterThan(3);
  expect(sections[0]?.text === '' && sections.length === 1).toBe(false);
  const ids = idsOf(html);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, href = ''] of html.matchAll(/<a href="([^"]+)"/g)) {
    const [, chapter, anchor] = /^(?:\/docs\/([\w-]+))?(?:#(.+))?$/.exec(href) ?? [];
    if (href.startsWith('https://')) continue;
    expect([href, chapter === undefined || isChapter(chapter)]).toEqual([href, true]);
    const target = chapter && isChapter(chapter) ? readChapter(chapter).html : html;
    if (anchor) expect([href, idsOf(target)]).toEqual([href, expect.arrayContaining([anchor])]);
  }
});

it('has the section that each page of the console links to', () => {
  for (const { help } of [...ROUTES, ...PAGE_HELP]) {
    const [chapter = '', id] = help?.split('#') ?? [];
    if (!help) continue;
    expect([help, isChapter(chapter)]).toEqual([help, true]);
    if (id && isChapter(chapter))
      expect([help, readChapter(chapter).sections.map((section) => section.id)]).toEqual([
        help,
        expect.arrayContaining([id]),
      ]);
  }
});

it.each([
  ['/mailboxes', '', 'mail-server#who-can-receive-sign-in-and-send'],
  ['/mailboxes/x/misuse', '', 'access#when-a-stranger-sends-from-a-mailbox'],
  ['/domains/x', '', 'dns'],
  ['/domains/x', 'tab=dkim', 'mail-server#rotate-a-dkim-key'],
  ['/domains/x', 'view=reports&kind=tls', 'reports'],
  ['/webhooks/x', 'tab=history', 'access#see-who-changed-something-and-put-it-back'],
  ['/', '', undefined],
])('names the section about a page and its tab: %s?%s', (path, search, help) => {
  expect(helpOf(path, new URLSearchParams(search))).toBe(help);
});

it('finds sections by words of their heading or text, in any order and case', () => {
  expect(searchChapters('limits HOURLY')[0]).toMatchObject({ chapter: 'access', heading: 'Hourly limits' });
  const [first] = searchChapters('RELAY_PASSWORD');
  expect(first).toMatchObject({ chapter: 'mail-server', excerpt: expect.stringContaining('RELAY_PASSWORD') });
  expect(searchChapters('no-such-word')).toEqual([]);
  expect(searchChapters('  ')).toEqual([]);
  // The longest address that the server takes, with one of its words in no section, is cut before that word.
  expect(searchChapters(`${'a '.repeat(4000)}no-such-word`).length).toBeGreaterThan(0);
});

it('finds chapters, then sections, by words of their headings alone', () => {
  expect(sectionsNamed('SUPPRESSIONS')[0]).toMatchObject({ chapter: 'suppressions', id: '' });
  expect(sectionsNamed('hourly limits')[0]).toMatchObject({ chapter: 'access', id: 'hourly-limits' });
  expect(sectionsNamed('sending later')).toContainEqual(
    expect.objectContaining({ chapter: 'sending', id: 'send-later' }),
  );
  for (const other of ['RELAY_PASSWORD', 'no-such-word', ' ']) expect(sectionsNamed(other)).toEqual([]);
  expect(sectionsNamed('a').length).toBeLessThanOrEqual(4);
});

it('names a chapter by its title where the text of a link is its file', () => {
  const { html } = renderPage('# A\n\n[b.md](b.md), [why](b.md#why).\n', (name) => (name === 'b' ? 'B & co' : null));
  expect(html).toContain('<a href="/docs/b">B &#38; co</a>, <a href="/docs/b#why">why</a>.');
});

it('escapes HTML, and names what has no page without a link', () => {
  const text =
    '# A <b>\n\nSee [x](../README.md), <script>alert(1)</script> and [y](https://x.example/"><i>).\n\n## A `b`: c\n';
  const { title, html, sections } = renderPage(text, () => null);
  expect(title).toBe('A <b>');
  expect(html).not.toMatch(/<script|<i>|README\.md/);
  expect(html).toContain('<h2 id="a-b-c">A <code>b</code>: c</h2>');
  expect(sections.map(({ heading }) => heading)).toEqual(['A <b>', 'A b: c']);
});
