import { type Api, makeDomain } from './fixtures';

export async function domainWithKeys({ api }: { api: Api }): Promise<string> {
  const path = `/domains/${(await makeDomain(api)).id}`;
  await api.call('POST', `${path}/dkim/rotate`, { selector: 'looks1', algorithm: 'ed25519' });
  await api.call('POST', `${path}/dkim/looks1/activate`);
  await api.call('POST', `${path}/dkim/rotate`, { selector: 'looks2' });
  return `${path}?tab=dkim`;
}

export async function checkedDomain(api: Api): Promise<string> {
  const path = `/domains/${(await makeDomain(api)).id}`;
  await api.call('POST', `${path}/dns/check`);
  return path;
}

export async function recordDetails({ api }: { api: Api }): Promise<string> {
  const path = await checkedDomain(api);
  const { records } = await api.call<{ records: { purpose: string; name: string }[] }>('GET', `${path}/dns`);
  const dkim = records.find(({ purpose }) => purpose === 'dkim');
  return `${path}?record=${encodeURIComponent(`dkim-TXT-${dkim?.name}`)}`;
}
