import { afterAll, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { startDns } from '@/test/servers/dns';
import { setSettings } from '@/test/settings';
import { runCheck } from './run';

const dns = await startDns();
setSettings({ DNS_SERVERS: `127.0.0.1:${dns.port}` });

afterAll(() => dns.stop());

it('joins the check of the domain that is running, and starts another one after it', async () => {
  const { id, name } = await makeDomain();
  const asked = () => dns.questions.filter((question) => question === `udp MX ${name}`).length;
  const check = () => runCheck(db, id, async (checked) => checked);
  const [one, other] = await Promise.all([check(), check()]);
  expect(other).toBe(one);
  expect(asked()).toBe(1);
  await check();
  expect(asked()).toBe(2);
});

it('shows no check as running whose result could not be stored', async () => {
  const { id } = await makeDomain();
  const api = await keyClient();
  await expect(runCheck(db, id, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
  expect((await api.get(`/domains/${id}/dns`)).data.check).toBeNull();
});
