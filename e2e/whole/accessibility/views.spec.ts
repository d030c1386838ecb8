import { ROUTES } from '../../../src/lib/routes';
import { eachCase, inGroups, namesOf } from '../../support/cases';
import { checkView } from '../../support/check-view';
import { checkedDomain, domainWithKeys, recordDetails, reportedDomain } from '../../support/checked-domain';
import { withoutMailServer } from '../../support/faults';
import { makeDomain, sendMessage, test, unique, url } from '../../support/fixtures';
import { countShifts } from '../../support/layout-shifts';
import {
  failedDelivery,
  type Made,
  makeAliases,
  makeFilters,
  makeMailbox,
  templatePath,
  webhookPath,
  webhookWithTwoSecrets,
} from './data';

type View = { name: string; path: (made: Made) => string | Promise<string> };

/** The view that is checked with the shell around it. */
const SHELL = 'Overview';

/** Every page, and every kind of state that has an address of its own. */
const VIEWS: View[] = [
  ...ROUTES.map(({ label, href }) => ({ name: label, path: () => href })),
  { name: 'Sign in', path: () => '/login' },
  { name: 'A section of the API reference', path: () => '/reference/sending' },
  { name: 'A domain', path: async ({ api }) => checkedDomain(api) },
  { name: 'The records to publish', path: async ({ api }) => `${await checkedDomain(api)}?view=publish` },
  { name: 'The details of a record', path: recordDetails },
  { name: 'The reports of a domain', path: reportedDomain },
  { name: 'The settings of a domain', path: ({ domain }) => `/domains/${domain.id}?tab=settings` },
  {
    name: 'The history of a domain',
    path: async ({ api }) => {
      const { id } = await makeDomain(api);
      await api.call('PATCH', `/domains/${id}`, { description: 'The shop', other_mx_hosts: ['mx.far.example'] });
      return `/domains/${id}?tab=history`;
    },
  },
  {
    name: 'The dialog with the history of an alias',
    path: async ({ api, domain }) => `/aliases?history=${(await makeAliases(api, domain)).id}`,
  },
  {
    name: 'What was deleted',
    path: async ({ api, domain }) => {
      const { id, address } = await makeAliases(api, domain);
      await api.call('DELETE', `/aliases/${id}`);
      return `/deleted?q=${address}`;
    },
  },
  { name: 'The mailboxes of a domain', path: ({ domain }) => `/domains/${domain.id}?tab=mailboxes` },
  { name: 'The aliases of a domain', path: ({ domain }) => `/domains/${domain.id}?tab=aliases` },
  { name: 'A domain with a pending and a retired key', path: domainWithKeys },
  { name: 'A message', path: async ({ api, domain }) => `/messages/${(await sendMessage(api, domain)).id}` },
  { name: 'A peek', path: async ({ api, domain }) => `/messages?peek=${(await sendMessage(api, domain)).id}` },
  { name: 'An admin', path: async ({ api }) => `/admins/${(await api.call<{ id: string }>('GET', '/auth/me')).id}` },
  { name: 'A mailbox', path: async ({ api, domain }) => `/mailboxes/${(await makeMailbox(api, domain)).id}` },
  {
    name: 'A suspended mailbox',
    path: async ({ api, domain }) => {
      const { id } = await makeMailbox(api, domain);
      await api.call('POST', `/mailboxes/${id}/suspend`, { reason: 'Its password leaked' });
      return `/mailboxes/${id}`;
    },
  },
  {
    name: 'What a mailbox sent',
    path: async ({ api, domain }) => `/mailboxes/${(await makeMailbox(api, domain)).id}/misuse`,
  },
  { name: 'Aliases of a domain without any', path: async ({ api }) => `/aliases?domain=${(await makeDomain(api)).id}` },
  {
    name: 'Aliases with warnings',
    path: async ({ api, domain }) => `/aliases?domain=${(await makeAliases(api, domain)).domain_id}`,
  },
  {
    name: 'The dialog to change an alias',
    path: async ({ api, domain }) => `/aliases?edit=${(await makeAliases(api, domain)).id}`,
  },
  {
    name: 'The way of mail for an address',
    path: async ({ api, domain }) => `/aliases?trace=${(await makeAliases(api, domain)).address}`,
  },
  { name: 'The dialog for a new alias', path: () => '/aliases?new=true' },
  { name: 'The dialog for a new mailbox', path: () => '/mailboxes?new=true' },
  { name: 'The dialog to import aliases', path: () => '/aliases?import=true' },
  { name: 'The dialog to suppress an address', path: () => '/suppressions?new=true' },
  { name: 'The dialog to import suppressions', path: () => '/suppressions?import=true' },
  {
    name: 'The suppressions of a domain',
    path: async ({ api, domain }) => {
      await api.call('POST', '/suppressions', {
        domain_id: domain.id,
        email: `${unique('a')}@far.example`,
        detail: 'Asked',
      });
      return `/suppressions?domain=${domain.id}`;
    },
  },
  { name: 'The DNS and reports of all domains', path: () => '/domains/dns' },
  { name: 'The dialog to add a domain', path: () => '/domains?new=true' },
  { name: 'The dialog to add several domains', path: () => '/domains?several=true' },
  { name: 'The dialog to add an admin', path: () => '/admins?new=true' },
  { name: 'A failed delivery', path: failedDelivery },
  { name: 'The settings of a webhook', path: webhookWithTwoSecrets },
  { name: 'How to verify a signature', path: async (made) => `${await webhookPath(made)}?tab=verify` },
  { name: 'A webhook without deliveries', path: webhookPath },
  { name: 'The dialog for a new webhook', path: () => '/webhooks?new=true' },
  { name: 'A new filter', path: () => '/sieve-filters/new' },
  { name: 'A filter', path: async (made) => `/sieve-filters/${(await makeFilters(made)).id}` },
  {
    name: 'Filters in their order',
    path: async (made) => `/sieve-filters?domain=${(await makeFilters(made)).domain_id}`,
  },
  { name: 'A template', path: templatePath },
  { name: 'The versions of a template', path: async (made) => `${await templatePath(made)}?tab=versions&version=1` },
  { name: 'The dialog for a new template', path: () => '/templates?new=true' },
  { name: 'The dialog for a new key', path: () => '/api-keys?new=true' },
];

// A trace runs scripts in every frame, which the browser blocks in previews and reports here.
test.use({ trace: 'off' });

for (const group of inGroups(VIEWS, 6)) {
  test(`load without layout shift in both widths, and are accessible in both themes: ${namesOf(group)}`, async ({
    signedIn: page,
    api,
    domain,
    sql,
    watched,
  }) => {
    await withoutMailServer(page);
    await countShifts(page);
    await eachCase(group, watched, async ({ name, path }) => {
      const address = `${url()}${await path({ api, domain, sql })}`;
      await checkView(page, address, watched, { withShell: name === SHELL });
    });
  });
}
