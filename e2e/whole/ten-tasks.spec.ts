import type { Page } from '@playwright/test';
import { makeWebhook, openerOf, startEndpoint } from '../connect/webhooks/webhook';
import { eachCase, inGroups, namesOf } from '../support/cases';
import {
  type Api,
  createDomain,
  expect,
  FIRST_ADMIN,
  sendMessage,
  test,
  unique,
  url,
  useSession,
} from '../support/fixtures';

const MAX_PRESSES = 12;

type Keys = {
  press(...keys: string[]): Promise<void>;
  type(text: string): Promise<void>;
  find(words: string): Promise<void>;
};
type Task = {
  name: string;
  /** @returns what is done by keyboard, from the overview of the domain */
  prepare(api: Api, domain: { id: string; name: string }): Promise<(page: Page, keys: Keys) => Promise<void>>;
};

/** Presses keys and counts them. A text that is typed counts as one. */
function countedKeys(page: Page): Keys & { count: number } {
  const add = () => {
    keys.count += 1;
    expect(keys.count, 'key presses').toBeLessThanOrEqual(MAX_PRESSES);
  };
  const keys = {
    count: 0,
    press: async (...names: string[]) => {
      for (const name of names) {
        add();
        await page.keyboard.press(name);
      }
    },
    type: async (text: string) => {
      add();
      await page.keyboard.type(text);
    },
    /** Opens the palette, types, and waits for the first result. */
    find: async (words: string) => {
      await keys.press('Control+k');
      await expect(page.getByRole('combobox', { name: /^Search pages/ })).toBeFocused();
      await keys.type(words);
    },
  };
  return keys;
}

const selected = (page: Page, name: string | RegExp) =>
  expect(page.getByRole('option', { name, selected: true })).toBeVisible();
const h1 = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

const makeAlias = (api: Api, domainId: string) => {
  const [source_local_part, destination] = [unique('alias'), 'ann@far.example'];
  return api.call<{ id: string; address: string }>('POST', '/aliases', {
    domain_id: domainId,
    source_local_part,
    destination,
  });
};

const TASKS: Task[] = [
  {
    name: 'find an address',
    prepare: async (api, { id }) => {
      const { address } = await makeAlias(api, id);
      return async (page, keys) => {
        await keys.find(address);
        await keys.press('Enter');
        await expect(page.getByRole('dialog', { name: `Edit ${address}` })).toContainText('ann@far.example');
      };
    },
  },
  {
    name: 'send a test message',
    prepare: async () => async (page, keys) => {
      await keys.find('test message');
      await selected(page, 'Send test message');
      await keys.press('Enter');
      await expect(h1(page, 'Send')).toBeFocused();
      await expect(page.getByLabel('Subject')).toHaveValue('Test from Postroom');
      await keys.press('Tab', 'Tab');
      await expect(page.getByRole('textbox', { name: 'From' })).toBeFocused();
      await keys.press('Control+Enter');
      await expect(page.getByRole('status', { name: 'Result' })).toContainText('accepted the message');
    },
  },
  {
    name: 'create an alias',
    prepare:
      async (_, { name }) =>
      async (page, keys) => {
        const local = unique('new');
        await keys.find('new alias');
        await selected(page, 'New alias');
        await keys.press('Enter');
        const dialog = page.getByRole('dialog', { name: 'New alias' });
        await expect(dialog.getByRole('textbox', { name: 'Address' })).toBeFocused();
        await keys.type(local);
        await keys.press('Tab', 'Tab', 'Tab');
        await keys.type('ann@far.example');
        await keys.press('Enter', 'Enter');
        await expect(dialog).toHaveCount(0);
        await expect(page.getByRole('row', { name: `${local}@${name}` })).toContainText('ann@far.example');
      },
  },
  {
    name: 'make an alias inactive',
    prepare: async (api, { id }) => {
      const { id: aliasId, address } = await makeAlias(api, id);
      return async (page, keys) => {
        await keys.find(address);
        await keys.press('Enter');
        const dialog = page.getByRole('dialog', { name: `Edit ${address}` });
        await expect(dialog.getByRole('combobox')).toBeFocused();
        await keys.press('Tab', 'Space', 'Enter');
        await expect(page.getByText(`Updated ${address}`)).toBeVisible();
        expect(await api.call('GET', `/aliases/${aliasId}`)).toMatchObject({ active: false });
      };
    },
  },
  {
    name: 'see why a message bounced',
    prepare: async (api, domain) => {
      const subject = unique('Bounced ');
      await sendMessage(api, domain, { subject, to: [{ email: `${unique('nobody')}@bounce.test` }] });
      return async (page, keys) => {
        await keys.find(subject);
        await selected(page, new RegExp(`^${subject}`));
        await keys.press('Enter');
        await expect(h1(page, subject)).toBeFocused();
        await expect(page.getByRole('region', { name: 'Explanation' })).toContainText(
          'bounce.test has no such mailbox',
        );
      };
    },
  },
  {
    name: 'copy a DKIM record',
    prepare: async (api, { id, name }) => {
      const [key] = await api.call<{ dns_record: { value: string } }[]>('GET', `/domains/${id}/dkim`);
      return async (page, keys) => {
        await keys.find(name);
        await selected(page, `${name} Domain`);
        // Its pages come with the results of the whole name.
        await expect(page.getByRole('option', { name: `${name} DKIM` })).toBeVisible();
        await keys.press('ArrowDown', 'ArrowDown');
        await selected(page, `${name} DKIM`);
        await keys.press('Enter');
        await expect(h1(page, name)).toBeFocused();
        const value = page.getByRole('button', { name: /^Copy the value of / });
        await expect(value).toBeVisible();
        await keys.press('c', 'c');
        await expect(value).toBeFocused();
        await keys.press('Enter');
        await expect(page.getByRole('button', { name: /^Copied the value of / })).toBeVisible();
        expect(await clipboard(page)).toBe(key?.dns_record.value);
      };
    },
  },
  {
    name: 'create an API key and copy it',
    prepare: async () => async (page, keys) => {
      await keys.find('new api key');
      await selected(page, 'New API key');
      await keys.press('Enter');
      await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Name' })).toBeFocused();
      await keys.type(unique('By keys '));
      await keys.press('Enter');
      await expect(page.getByRole('button', { name: 'Copy key' })).toBeFocused();
      await keys.press('Enter');
      await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeVisible();
      const headers = { authorization: `Bearer ${await clipboard(page)}` };
      expect((await page.request.get(`${url()}/api/v1/auth/me`, { headers })).status()).toBe(200);
    },
  },
  {
    name: 'replay a webhook delivery',
    prepare: async (api, domain) => {
      const endpoint = await startEndpoint(500);
      await makeWebhook(api, { url: endpoint.url, events: ['mail.delivered'], domain_id: domain.id });
      await sendMessage(api, domain);
      await expect.poll(() => endpoint.requests.length).toBe(1);
      endpoint.status = 204;
      return async (page, keys) => {
        await keys.press('g', 'w');
        await expect(h1(page, 'Webhooks')).toBeFocused();
        const webhook = page.getByRole('main').getByRole('link', { name: `localhost:${endpoint.port}` });
        await expect(webhook).toBeVisible();
        await keys.press('j');
        await expect(webhook).toBeFocused();
        await keys.press('Enter');
        const row = page.getByRole('row', { name: /mail\.delivered/ });
        await expect(row).toContainText('Retrying');
        await keys.press('j');
        await expect(openerOf(row)).toBeFocused();
        await keys.press('Enter');
        const replay = page.getByRole('button', { name: 'Replay now' });
        await expect(replay).toBeEnabled();
        await keys.press('Tab', 'Tab');
        await expect(replay).toBeFocused();
        await keys.press('Enter');
        await expect(row).toContainText('Delivered');
        await endpoint.close();
      };
    },
  },
  {
    name: 'see who changed a domain',
    prepare: async (api, { id, name }) => {
      await api.call('PATCH', `/domains/${id}`, { description: 'For the shop' });
      return async (page, keys) => {
        await keys.find(name);
        await selected(page, `${name} Domain`);
        await keys.press(...Array(6).fill('ArrowDown'));
        await selected(page, `${name} History`);
        await keys.press('Enter');
        await expect(h1(page, name)).toBeFocused();
        const entry = page.getByRole('listitem', { name: 'changed the description of this domain' });
        await expect(entry).toContainText(FIRST_ADMIN.email);
        await expect(entry.getByRole('insertion')).toHaveText('For the shop');
      };
    },
  },
];

for (const group of inGroups(TASKS, 3)) {
  test(`by keyboard, at most ${MAX_PRESSES} presses: ${namesOf(group)}`, async ({
    signedIn: page,
    context,
    api,
    watched,
    check,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await eachCase(group, watched, async ({ prepare }) => {
      const domain = await createDomain(api);
      const task = await prepare(api, domain);
      await openOverview(page, domain.id);
      await task(page, countedKeys(page));
      await check();
    });
  });
}

test(`by keyboard, at most ${MAX_PRESSES} presses: end another session`, async ({
  page,
  makeAdmin,
  makeSession,
  check,
}) => {
  const admin = await makeAdmin('admin');
  await makeSession(admin.email);
  await useSession(page, admin.cookie);
  await openOverview(page);
  const keys = countedKeys(page);
  await keys.find('sessions');
  await selected(page, 'Account');
  await keys.press('Enter');
  await expect(h1(page, 'Account')).toBeFocused();
  const end = page.getByRole('button', { name: /^End session: / });
  await expect(end).toBeVisible();
  await keys.press('j');
  await expect(end).toBeFocused();
  await keys.press('Enter');
  await expect(page.getByRole('table', { name: 'Sessions' }).getByRole('row')).toHaveCount(2);
  await expect(end).toHaveCount(0);
  await check();
});

async function openOverview(page: Page, domainId?: string): Promise<void> {
  await page.goto(`${url()}/${domainId ? `?domain=${domainId}` : ''}`);
  await expect(page.getByRole('definition').first()).toHaveText(/^\d/);
}
