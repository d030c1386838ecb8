import type { Request } from '@playwright/test';
import {
  type Api,
  type Domain,
  expect,
  makeDomain,
  sendMessage,
  test,
  unique,
  url,
  useSession,
} from '../../support/fixtures';

// A trace runs scripts in every frame, which the browser blocks and reports here.
test.use({ trace: 'off' });

const HOSTILE = `
  <script>window.top.location = 'https://evil.example/script'; fetch('https://evil.example/fetch')</script>
  <img src="https://evil.example/pixel.gif" srcset="https://evil.example/2x.gif 2x" onerror="fetch('https://evil.example/e')">
  <img src="x" onerror="parent.document.title = 'owned'">
  <svg onload="fetch('https://evil.example/svg')"><image href="https://evil.example/svg.png"/><script>1</script></svg>
  <math><mtext><style><img src=x onerror="fetch('https://evil.example/math')"></style></mtext></math>
  <iframe src="https://evil.example/frame"></iframe><iframe srcdoc="<script>parent.x = 1</script>"></iframe>
  <object data="https://evil.example/object"></object><embed src="https://evil.example/embed">
  <form action="https://evil.example/form"><input name="q" autofocus><button>Claim your prize</button></form>
  <meta http-equiv="refresh" content="0;url=https://evil.example/refresh">
  <base href="https://evil.example/">
  <link rel="stylesheet" href="https://evil.example/style.css"><link rel="prefetch" href="https://evil.example/prefetch">
  <style>@import url('https://evil.example/import.css'); body { background: url(https://evil.example/body.png) }
    @font-face { font-family: x; src: url(https://evil.example/font.woff) } p { font-family: x }</style>
  <div style="background: url(https://evil.example/div.png); position: fixed; inset: 0">Styled</div>
  <table background="https://evil.example/table.png"><tr><td background="https://evil.example/cell.png">Cell</td></tr></table>
  <video src="https://evil.example/video" poster="https://evil.example/poster" autoplay></video>
  <audio src="https://evil.example/audio" autoplay></audio>
  <a href="javascript:fetch('https://evil.example/js')">Script link</a>
  <a href="data:text/html,<script>1</script>">Data link</a>
  <a href="/api/v1/auth/logout">Console link</a>
  <a href="https://shop.example/offer" target="_top">Plain link</a>
  <p onclick="fetch('https://evil.example/click')" onmouseover="fetch('https://evil.example/over')">Hover me</p>
  <noscript><p title="</noscript><img src=x onerror=fetch('https://evil.example/noscript')>">x</p></noscript>`;

/** Sends a message and waits until its content is stored. */
async function keep(api: Api, domain: Domain, message: object): Promise<string> {
  const { id } = await sendMessage(api, domain, message);
  const state = async () => (await api.call<{ content: { state: string } }>('GET', `/messages/${id}`)).content.state;
  await expect.poll(state).toBe('kept');
  return id;
}

test('hostile HTML runs nothing, loads nothing and leads nowhere', async ({ signedIn: page, api, domain, check }) => {
  const subject = unique('Hostile ');
  const id = await keep(api, domain, { subject, html_body: HOSTILE, text_body: 'Plain' });
  const outside: string[] = [];
  // A link could open another page, whose requests count, too.
  const watch = (request: Request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== url()) outside.push(request.url());
  };
  page.context().on('request', watch);
  page.on('dialog', (dialog) => outside.push(`dialog: ${dialog.message()}`));
  await page.goto(`${url()}/messages/${id}?tab=content`);
  const frame = page.frameLocator('iframe[title="HTML of the message"]');
  await expect(frame.getByText('Styled')).toBeVisible();
  await expect(page.getByText('remote images blocked')).toBeVisible();
  await frame.getByText('Hover me').hover();
  await frame.getByText('Hover me').click();
  for (const name of ['Script link', 'Data link', 'Console link']) await frame.getByText(name).click();
  await expect(
    frame.locator('script, iframe, object, embed, form, input, meta[http-equiv=refresh], link, svg, video'),
  ).toHaveCount(0);
  await expect(frame.getByRole('button')).toHaveCount(0);
  const link = frame.getByRole('link', { name: 'Plain link' });
  await expect(link).toHaveAttribute('target', '_blank');
  await expect(link).toHaveAttribute('rel', /noopener noreferrer/);
  await expect(page).toHaveURL(`${url()}/messages/${id}?tab=content`);
  await expect(page).toHaveTitle(/Message/);
  expect(page.context().pages()).toHaveLength(1);
  await page.waitForLoadState('networkidle');
  page.context().off('request', watch);
  expect(outside).toEqual([]);
  await check();
});

test('a message shows its content, headers and attachments, and downloads', async ({
  signedIn: page,
  api,
  domain,
  checkState,
}) => {
  const subject = unique('Invoice ');
  const file = { filename: 'Rechnung für Ann.pdf', content_type: 'application/pdf', content: btoa('%PDF-1.7') };
  const id = await keep(api, domain, {
    subject,
    html_body: '<h1>Dear Ann</h1>',
    text_body: 'Dear Ann in text',
    attachments: [file],
  });
  await page.goto(`${url()}/messages/${id}`);
  await page.getByRole('tab', { name: 'Content' }).click();
  const frame = page.frameLocator('iframe[title="HTML of the message"]');
  await expect(frame.getByRole('heading', { name: 'Dear Ann' })).toBeVisible();
  await page.getByRole('radio', { name: 'Text' }).click();
  await expect(page.getByText('Dear Ann in text')).toBeVisible();
  await checkState();

  await page.getByRole('tab', { name: 'Headers' }).click();
  await expect(page).toHaveURL(/tab=headers/);
  await expect(page.getByText(subject).last()).toBeVisible();
  await expect(page.getByText('Message-ID', { exact: true })).toBeVisible();
  await checkState();

  await page.getByRole('tab', { name: 'Attachments 1' }).click();
  const [attachment] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download Rechnung für Ann.pdf' }).click(),
  ]);
  expect(attachment.suggestedFilename()).toBe('Rechnung für Ann.pdf');
  await checkState();
  const [raw] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download .eml' }).click(),
  ]);
  expect(raw.suggestedFilename()).toBe(`${subject}.eml`);
});

test('a message is resent after a confirmation, and its copy is one click away', async ({
  signedIn: page,
  api,
  domain,
  check,
  checkState,
}) => {
  const subject = unique('Again ');
  const id = await keep(api, domain, { subject });
  await page.goto(`${url()}/messages/${id}`);
  await page.getByRole('button', { name: 'Resend message' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resend message' });
  await expect(dialog).toContainText('ann@far.example');
  await checkState();
  await dialog.getByLabel('Send only to').fill('dan@far.example,');
  await dialog.getByRole('button', { name: 'Resend message' }).click();
  const done = page.getByRole('dialog', { name: 'Message resent' });
  await expect(done).toBeVisible();
  await check();
  await done.getByRole('link', { name: 'View new message' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(page.getByRole('heading', { name: subject })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Explanation' })).not.toContainText('Why?');
  await expect(page.getByText('dan@far.example').first()).toBeVisible();
});

test('a message that is being submitted can’t be resent yet', async ({ signedIn: page, api, domain, sql, check }) => {
  const id = await keep(api, domain, { subject: unique('Leaving ') });
  await sql("UPDATE message SET status = 'submitting' WHERE id = $1", [id]);
  await page.goto(`${url()}/messages/${id}`);
  await expect(page.getByRole('list', { name: 'Trace of this message' })).toContainText('MAIL SERVER');
  await expect(page.getByRole('button', { name: 'Resend message' })).toHaveCount(0);
  await check();
});

test('a message without content says why, in place of the tabs', async ({
  signedIn: page,
  api,
  domain,
  sql,
  check,
}) => {
  const id = await keep(api, domain, { subject: unique('Gone ') });
  await sql("UPDATE message_content SET state = 'expired', reason = 'size_limit' WHERE message_id = $1", [id]);
  await page.goto(`${url()}/messages/${id}?tab=content`);
  await expect(page.getByText('the content store reached its maximum size')).toBeVisible();
  await expect(page.getByRole('tab')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Resend message' })).toHaveCount(0);
  await check();
});

test('the link to a tab works for another admin of the domain, and for nobody else', async ({
  browser,
  api,
  domain,
  makeAdmin,
}) => {
  const subject = unique('Shared ');
  const id = await keep(api, domain, { subject });
  const [colleague, stranger] = [
    await makeAdmin('domain_admin', [domain]),
    await makeAdmin('domain_admin', [await makeDomain(api)]),
  ];
  const open = async ({ cookie }: { cookie: string }) => {
    const page = await (await browser.newContext()).newPage();
    await useSession(page, cookie);
    await page.goto(`${url()}/messages/${id}?tab=headers`);
    return page;
  };
  const shared = await open(colleague);
  await expect(shared.getByRole('tab', { name: 'Headers', selected: true })).toBeVisible();
  const refused = await open(stranger);
  await expect(refused.getByText('Not available')).toBeVisible();
  await expect(refused.getByText(subject)).toHaveCount(0);
  await expect(refused.getByRole('navigation').first()).toBeVisible();
  await Promise.all([shared.context().close(), refused.context().close()]);
});
