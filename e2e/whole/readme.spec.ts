import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type Api, expect, makeDomain, test, unique, url } from '../support/fixtures';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const blocksOf = (text: string) => [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] as string);

/** Runs commands of the documentation one after another, as a reader would. @returns what they print */
function runBlocks(blocks: string[], api: Api, domain: string): string {
  return execFileSync('bash', ['-euo', 'pipefail', '-c', blocks.join('\necho\n')], {
    encoding: 'utf8',
    env: { ...process.env, POSTROOM_URL: url(), POSTROOM_KEY: api.key, POSTROOM_DOMAIN: domain },
  });
}

// In this order: who is suppressed gets no message.
test('the commands of the chapters on sending, templates and suppressions work as printed', async ({ api }) => {
  const domain = await makeDomain(api);
  for (const chapter of ['docs/sending.md', 'docs/templates.md', 'docs/suppressions.md']) {
    const output = runBlocks(blocksOf(read(chapter)), api, domain.name);
    expect(output).toContain('"error":null');
    expect(output).not.toContain('"error":{');
  }
  const cancelled = await api.call<object[]>('GET', `/messages?domain_id=${domain.id}&status=cancelled`);
  expect(cancelled).toHaveLength(1);
});

test('a list of suppressions of any length is imported by the command for it', async ({ api }) => {
  const domain = await makeDomain(api);
  const [block = ''] = blocksOf(read('docs/suppressions.md')).filter((text) => text.includes('at += 2000'));
  const file = test.info().outputPath('bounces.csv');
  const lines = Array.from(
    { length: 6_001 },
    (_, n) => `5.1.1,"550 ""No""\nsuch user, sorry",u${n}@example.com,1693526400\r`,
  );
  writeFileSync(file, `\uFEFFstatus,reason,email,created\r\n${lines.join('\n')}\n`);
  const ofFile = block.replace(/<<CSV \|\n[\s\S]*\nCSV\n/, `< '${file}' |\n`);
  const output = runBlocks([`DOMAIN_ID=${domain.id}`, ofFile], api, domain.name);
  const parts = output
    .trim()
    .split(/\n+/)
    .map((line) => JSON.parse(line).data);
  expect(parts.map(({ created }) => created)).toEqual([2000, 2000, 2000, 1]);
  const found = await api.call<object[]>('GET', `/suppressions?domain_id=${domain.id}&q=u6000@`);
  expect(found).toMatchObject([
    { email: 'u6000@example.com', reason: 'bounce', detail: expect.stringContaining('such user, sorry') },
  ]);
});

test("the README's first send works as printed", async ({ signedIn, api, check }) => {
  const blocks = blocksOf(read('README.md').split('## First send')[1]?.split('\n## ')[0] ?? '');
  expect(blocks.length).toBe(5);
  const domain = `${unique('readme')}.example`;
  const output = runBlocks(blocks, api, domain);
  const [created, sent, listed, batch] = output
    .trim()
    .split(/\n+/)
    .map((line) => JSON.parse(line));
  expect(created.data.name).toBe(domain);
  expect(sent.data.message_id).toContain(`@${domain}>`);
  expect(listed.data.map((message: { message_id: string }) => message.message_id)).toContain(sent.data.message_id);

  expect(batch.data).toMatchObject({ total: 2, succeeded: 2 });

  await signedIn.goto(`${url()}/messages?q=${encodeURIComponent(sent.data.message_id)}`);
  await expect(signedIn.getByRole('row', { name: /Your order has shipped/ })).toBeVisible();
  await check();
});
