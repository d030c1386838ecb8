import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, openSend, pick, test, unique } from '../support/fixtures';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const LANGUAGES = [
  { button: 'curl', begins: /^curl /, file: 'send.sh', command: ['bash'] },
  { button: 'Node.js', begins: /^import \{ readFile/, file: 'send.mjs', command: [process.execPath] },
  ...(hasPython ? [{ button: 'Python', begins: /^import base64/, file: 'send.py', command: ['python3'] }] : []),
];

test('the curl, Node.js and, if python3 is installed, Python code runs as shown', async ({
  signedIn: page,
  api,
  domain,
  check,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'postroom-snippets-'));
  const subject = unique('Snippet "ü" ');
  const attachment = path.join(folder, "it's a $file.txt");
  writeFileSync(attachment, 'attached');
  await openSend(page);
  await page.getByLabel('From').fill('desk');
  await pick(page.getByRole('combobox', { name: 'Domain', exact: true }), domain.name);
  const to = page.getByRole('combobox', { name: 'To', exact: true });
  await to.fill('ann@far.example');
  await to.press('Enter');
  await page.getByLabel('Subject').fill(subject);
  await page.getByLabel('Text body').fill('Back\\slash, `tick`, $HOME and "quotes"\nover two lines');
  await page.getByLabel('Attach files').setInputFiles(attachment);

  const side = page.getByRole('complementary', { name: /API equivalent/ });
  for (const { button, begins, file, command } of LANGUAGES) {
    await side.getByRole('radio', { name: button, exact: true }).click();
    const code = side.getByText(begins);
    await expect(code).toContainText('over two lines');
    await expect(code).toContainText('s a $file.txt');
    writeFileSync(path.join(folder, file), (await code.textContent()) as string);
    const [program, ...args] = [...command, file];
    const env = { ...process.env, POSTROOM_KEY: api.key };
    const output = execFileSync(program as string, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    expect(output.toString()).toContain(`@${domain.name}>`);
  }
  await check();
  const rows = await api.call<{ size: number }[]>('GET', `/messages?q=${encodeURIComponent(subject)}`);
  expect(rows).toHaveLength(LANGUAGES.length);
  expect(new Set(rows.map(({ size }) => size)).size).toBe(1);
  rmSync(folder, { recursive: true });
});

test('sends a batch written as JSON and shows a result for each message', async ({
  signedIn: page,
  domain,
  check,
  checkState,
}) => {
  await openSend(page, '/send?mode=batch');
  const field = page.getByLabel('Batch as JSON');
  await expect(field).toHaveValue(/First of two/);
  await field.fill('{"messages": [');
  await expect(field).toHaveAccessibleDescription(/This isn’t valid JSON/);
  await expect(page.getByRole('button', { name: 'Send batch' })).toBeDisabled();
  await check();

  const message = (from: string, subject: string) => ({
    from: { email: from },
    to: [{ email: 'ann@far.example' }],
    subject,
    text_body: 'x',
  });
  const subject = unique('Batch ');
  const messages = [message(`a@${domain.name}`, subject), message('a@unknown.example', subject)];
  await field.fill(JSON.stringify({ messages }, null, 2));
  await page.getByRole('button', { name: 'Send batch' }).click();
  const results = page.getByRole('table', { name: 'Batch results' });
  await expect(results.getByRole('row', { name: /Accepted 1 / })).toBeVisible();
  await expect(results.getByRole('row', { name: /Failed 2 .*DOMAIN_NOT_FOUND/ })).toBeVisible();
  await checkState();
  await results.getByRole('link').click();
  await expect(page.getByRole('row', { name: new RegExp(subject) })).toBeVisible();
});
