import { dmarcXml } from '../../src/test/reports/dmarc-report';
import { type Api, makeDomain } from './fixtures';

/** A domain with a key, and without the first check of its DNS, which may end at any time. */
async function domainWithKey(api: Api): Promise<string> {
  const path = `/domains/${(await makeDomain(api)).id}`;
  await addKey(api, path, 'looks');
  return path;
}

async function addKey(api: Api, path: string, selector: string): Promise<void> {
  await api.call('POST', `${path}/dkim/rotate`, { selector, algorithm: 'ed25519' });
  await api.call('POST', `${path}/dkim/${selector}/activate`);
}

export async function domainWithKeys({ api }: { api: Api }): Promise<string> {
  const path = await domainWithKey(api);
  await addKey(api, path, 'looks1');
  await api.call('POST', `${path}/dkim/rotate`, { selector: 'looks2' });
  return `${path}?tab=dkim`;
}

export async function checkedDomain(api: Api): Promise<string> {
  const path = await domainWithKey(api);
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
  const domain = await makeDomain(api);
  const day = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  const rows = [{ ip: '192.0.2.10', count: 90 }, { ip: '203.0.113.9', dkim: 'fail', spf: 'fail' } as const];
  const content = Buffer.from(dmarcXml({ domain: domain.name, day, rows })).toString('base64');
  await api.call('POST', '/dmarc/reports', { content });
  return `/domains/${domain.id}?view=reports`;
}
