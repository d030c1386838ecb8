import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test, unique, url } from '../support/fixtures';

test("the README's first send works as printed", async ({ signedIn, api, check }) => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const section = readme.split('## First send')[1]?.split('\n## ')[0] ?? '';
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  expect(blocks.length).toBe(5);
  const domain = `${unique('readme')}.example`;
  const output = execFileSync('bash', ['-euo', 'pipefail', '-c', blocks.join('\necho\n')], {
    encoding: 'utf8',
    env: { ...process.env, POSTROOM_URL: url(), POSTROOM_KEY: api.key, POSTROOM_DOMAIN: domain },
  });
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
