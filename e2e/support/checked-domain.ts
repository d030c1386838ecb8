import { dmarcXml } from '../../src/test/reports/dmarc-report';
import { type Api, createDomain } from './fixtures';

export async function domainWithKeys({ api }: { api: Api }): Promise<string> {
  const path = `/domains/${(await createDomain(api)).id}`;
  await api.call('POST', `${path}/dkim/rotate`, { selector: 'looks1', algorithm: 'ed25519' });
  await api.call('POST', `${path}/dkim/looks1/activate`);
  await api.call('POST', `${path}/dkim/rotate`, { selector: 'looks2' });
  return `${path}?tab=dkim`;
}

export async function checkedDomain(api: Api): Promise<string> {
  const path = `/domains/${(await createDomain(api)).id}`;
  await api.call('POST', `${path}/dns/check`);
  return path;
}

export async function recordDetails({ api }: { api: Api }): Promise<string> {
  const path = await checkedDomain(api);
  const { records } = await api.call<{ records: { purpose: string; name: string }[] }>('GET', `${path}/dns`);
  const dkim = records.find(({ purpose }) => purpose === 'dkim');
  return `${path}?record=${encodeURIComponent(`dkim-TXT-${dkim?.name}`)}`;
}

export async function reportedDomain({ api }: { api: Api }): Promise<string> {
  const domain = await createDomain(api);
  const day = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  const rows = [{ ip: '192.0.2.10', count: 90 }, { ip: '203.0.113.9', dkim: 'fail', spf: 'fail' } as const];
  const content = Buffer.from(dmarcXml({ domain: domain.name, day, rows })).toString('base64');
  await api.call('POST', '/dmarc/reports', { content });
  return `/domains/${domain.id}?view=reports`;
}
