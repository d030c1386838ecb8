import { type Api, type Domain, makeDomain, type Sql, unique } from '../../support/fixtures';

export type Made = { api: Api; domain: Domain; sql: Sql };

export const NOWHERE = 'https://localhost:1/hook';

export function makeMailbox(api: Api, domain: { id: string }): Promise<{ id: string }> {
  const over = { local_part: unique('looks'), password: 'paper boats on the canal', quota_bytes: 1_000_000_000 };
  return api.call('POST', '/mailboxes', { domain_id: domain.id, ...over });
}

export async function makeAliases(
  api: Api,
  domain: Domain,
): Promise<{ id: string; domain_id: string; address: string }> {
  const destination = `ann@far.example,${unique('nobody')}@${domain.name}`;
  return api.call('POST', '/aliases', { domain_id: domain.id, source_local_part: unique('looks'), destination });
}

export async function webhookPath({ api, domain }: Made): Promise<string> {
  const over = { url: NOWHERE, events: ['mail.sent', 'mail.spam'], domain_id: domain.id, name: 'Looks' };
  return `/webhooks/${(await api.call<{ id: string }>('POST', '/webhooks', over)).id}`;
}

export async function webhookWithTwoSecrets(made: Made): Promise<string> {
  const path = await webhookPath(made);
  await made.api.call('POST', `${path}/rotate-secret`, {});
  return `${path}?tab=settings`;
}

export async function failedDelivery(made: Made): Promise<string> {
  const path = await webhookPath(made);
  return `${path}?delivery=${(await made.api.call<{ id: string }>('POST', `${path}/test`, {})).id}`;
}

/** A template with a published version that the draft differs from. */
export async function templatePath({ api, domain }: Made): Promise<string> {
  const { id } = await api.call<{ id: string }>('POST', '/templates', {
    domain_id: domain.id,
    name: unique('order-'),
    subject: 'Order {{ number }}',
    html_body: '<h1>Hello {{ name }}</h1>\n<p>Your order has shipped.</p>\n',
    variables: [
      { name: 'number', type: 'number' },
      { name: 'name', type: 'string', required: false, default: 'there' },
    ],
    sample_data: { number: 1042 },
  });
  await api.call('POST', `/templates/${id}/publish`, {});
  await api.call('PATCH', `/templates/${id}`, { text_body: 'Hello {{ name }}, your order has shipped.' });
  return `/templates/${id}`;
}

/** Written by SQL, because the API compiles every script on a mail server. */
export async function makeFilters({ api, sql }: Made): Promise<{ id: string; domain_id: string }> {
  const { id: domain_id } = await makeDomain(api);
  const mailbox = await makeMailbox(api, { id: domain_id });
  const script = 'require ["fileinto"];\n\nif header :is "X-Spam" "Yes" { fileinto "Junk"; }\n';
  const make = (owner: { domain_id?: string; mailbox_id?: string }, name: string, position: number, active = true) =>
    sql<{ id: string }>(
      `INSERT INTO sieve_filter (id, scope, domain_id, mailbox_id, name, script, active, position, updated_at)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, now())
       RETURNING id`,
      [owner.mailbox_id ? 'mailbox' : 'domain', owner.domain_id, owner.mailbox_id, name, script, active, position],
    );
  await make({ mailbox_id: mailbox.id }, 'Spam to Junk', 0);
  await make({ domain_id }, unique('A rather long name of a filter '), 0, false);
  const [filter] = await make({ domain_id }, 'Newsletters', 1);
  return { id: `${filter?.id}`, domain_id };
}
