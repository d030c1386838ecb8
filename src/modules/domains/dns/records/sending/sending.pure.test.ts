import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startDns } from '@/test/servers/dns';
import {
  checkAt,
  domainFacts,
  entryOf,
  MAIL_ADDRESS,
  MAIL_HOST,
  publishedZone,
  recordOf,
} from '@/test/servers/published-domain';

const server = await startDns();
const facts = domainFacts();
const DMARC = `_dmarc.${facts.name}`;
const DKIM = `s1._domainkey.${facts.name}`;
const REPORTS = `rua=mailto:dmarc-reports@${facts.name}`;

afterAll(() => server.stop());
beforeEach(() => {
  server.zone = publishedZone(facts);
  server.faults = {};
});

const zoneOf = (name: string) => entryOf(server.zone, name);
const check = async (purpose: string, over = facts, name = '') => recordOf(await checkAt(server, over), purpose, name);
const problem = (severity: string, message: RegExp, status = 'mismatch') => ({
  status,
  severity,
  message: expect.stringMatching(message),
});

describe('SPF of the mail server', () => {
  const publish = (...texts: string[]) => {
    zoneOf(MAIL_HOST).TXT = texts;
  };

  it('is optional, and not among the records to publish', async () => {
    const found = await check('host_spf');
    expect(found).toMatchObject({ name: MAIL_HOST, required: false, expected: null });
    expect(found).toMatchObject(problem('info', /Publish v=spf1 a -all/, 'missing'));
  });

  it('passes for its address', async () => {
    publish('v=spf1 a -all');
    expect(await check('host_spf')).toMatchObject({ status: 'ok', severity: 'ok' });
  });

  it.each(['v=spf1 -all', 'v=spf1 a +all', 'v=spf1 nonsense:x -all'])('warns of %s', async (text) => {
    publish(text);
    expect(await check('host_spf')).toMatchObject({
      ...problem('warning', /SPF record/),
      fix: 'Publish v=spf1 a -all in its place.',
    });
  });

  it('is left out if the domain has the name, or mail leaves through a relay', async () => {
    const purposes = async (over: Partial<typeof facts>) =>
      (await checkAt(server, { ...facts, ...over })).map(({ purpose }) => purpose);
    expect(await purposes({})).toContain('host_spf');
    expect(await purposes({ relayHost: 'smtp.relay.example' })).not.toContain('host_spf');
    expect(await purposes({ relaySpf: 'spf.relay.example' })).not.toContain('host_spf');
    expect(await purposes({ mailHost: facts.name })).not.toContain('host_spf');
  });
});

describe('SPF', () => {
  const publish = (...texts: string[]) => {
    zoneOf(facts.name).TXT = texts;
  };

  it.each([
    'v=spf1 mx -all',
    'V=SPF1 a:mail.host.example ~all',
    `v=spf1 ip4:${MAIL_ADDRESS}/32 -all`,
    'v=spf1 ?ip4:198.51.100.1 mx exp=why.example -all',
  ])('accepts %s', async (text) => {
    publish('another-service=1', text);
    expect(await check('spf')).toMatchObject({ status: 'ok', found: [text] });
  });

  it.each<[string, RegExp]>([
    ['v=spf1 ip4:198.51.100.1 -all', /doesn’t allow .*192\.0\.2\.25/],
    ['v=spf1 mx +all', /every server/],
    ['v=spf1 mx ?all', /doesn’t say that other servers may not/],
    ['v=spf1 mx', /doesn’t say that other servers may not/],
    ['v=spf1 nonsense:x -all', /invalid/],
    ['v=spf1 ip4:300.1.1.1 -all', /invalid/],
    ['v=spf1 include:nothing.example mx -all', /invalid/],
    [`v=spf1 mx include:${'x'.repeat(64)}.example -all`, /invalid/],
  ])('rejects %s', async (text, message) => {
    publish(text);
    expect(await check('spf')).toMatchObject(problem('error', message));
  });

  it('judges a redirect by where it leads', async () => {
    publish('v=spf1 redirect=_spf.example');
    zoneOf('_spf.example').TXT = [`v=spf1 ip4:${MAIL_ADDRESS} ~all`];
    expect(await check('spf')).toMatchObject({ status: 'ok' });
    zoneOf('_spf.example').TXT = [`v=spf1 ip4:${MAIL_ADDRESS} +all`];
    expect(await check('spf')).toMatchObject(problem('error', /every server/));
  });

  it('says by how much the record exceeds the limit of lookups, even if the server passes before it', async () => {
    const names = Array.from({ length: 11 }, (_, i) => `s${i}.spf.example`);
    for (const name of names) zoneOf(name).TXT = ['v=spf1 ip4:198.51.100.1 ~all'];
    publish(`v=spf1 mx ${names.map((name) => `include:${name}`).join(' ')} -all`);
    expect(await check('spf')).toMatchObject(problem('error', /needs 12 DNS lookups.* after 10/));
    publish(
      `v=spf1 mx ${names
        .slice(0, 9)
        .map((name) => `include:${name}`)
        .join(' ')} -all`,
    );
    expect(await check('spf')).toMatchObject({ status: 'ok' });
  });

  it('says how many names of the record don’t exist', async () => {
    publish('v=spf1 mx a:x1.example a:x2.example a:x3.example -all');
    expect(await check('spf')).toMatchObject(problem('error', /^3 names .* don’t exist.* after 2/));
    publish('v=spf1 mx a:x1.example a:x2.example -all');
    expect(await check('spf')).toMatchObject({ status: 'ok' });
  });

  it('ends an endless include', async () => {
    publish(`v=spf1 include:${facts.name} -all`);
    expect(await check('spf')).toMatchObject(problem('error', /more than 40 DNS lookups/));
  });

  it('is evaluated for IPv6 addresses too', async () => {
    zoneOf(MAIL_HOST).AAAA = ['2001:db8::25'];
    publish(`v=spf1 ip4:${MAIL_ADDRESS} -all`);
    expect(await check('spf')).toMatchObject(problem('error', /2001:db8::25/));
  });

  describe('with a relay', () => {
    const relaySpf = '_spf.relay.example';
    const relayed = domainFacts({ relaySpf });
    beforeEach(() => {
      zoneOf(relaySpf).TXT = ['v=spf1 include:nested.relay.example ~all'];
      zoneOf('nested.relay.example').TXT = ['v=spf1 ip4:198.51.100.7 ~all'];
    });

    it('asks for a record that includes its name', async () => {
      publish();
      expect(await check('spf', relayed)).toMatchObject({
        status: 'missing',
        expected: 'v=spf1 mx include:_spf.relay.example -all',
      });
      zoneOf('far.example').TXT = [`v=spf1 include:${relaySpf} -all`];
      for (const text of [
        'v=spf1 mx include:_spf.relay.example -all',
        'v=spf1 include:_SPF.relay.example. ~all',
        'v=spf1 ip4:198.51.100.1 include:far.example -all',
        'v=spf1 redirect=far.example',
        'v=spf1 redirect=_spf.relay.example',
      ]) {
        publish(text);
        expect(await check('spf', relayed), text).toMatchObject({
          status: 'ok',
          message: expect.stringContaining('Your relay'),
        });
      }
    });

    it.each([
      'v=spf1 mx -all',
      'v=spf1 a:mail.host.example ~all',
      `v=spf1 ip4:${MAIL_ADDRESS} include:nested.relay.example -all`,
      'v=spf1 mx -all include:_spf.relay.example',
      'v=spf1 mx ?include:_spf.relay.example -all',
      'v=spf1 mx -include:_spf.relay.example -all',
    ])('doesn’t accept %s', async (text) => {
      publish(text);
      const fix = 'Add include:_spf.relay.example to the record, before all.';
      const message = /doesn’t let your relay send .* doesn’t include _spf\.relay\.example\.$/;
      expect(await check('spf', relayed)).toMatchObject({ ...problem('error', message), fix });
    });

    it('is still judged by its end and its limits', async () => {
      publish(`v=spf1 include:${relaySpf} ?all`);
      expect(await check('spf', relayed)).toMatchObject(problem('error', /doesn’t say that other servers may not/));
      zoneOf(relaySpf).TXT = ['v=spf1 +all'];
      publish(`v=spf1 include:${relaySpf} -all`);
      expect(await check('spf', relayed)).toMatchObject(problem('error', /every server/));
    });

    it('is asked for if the mail server uses one, and RELAY_SPF isn’t set', async () => {
      const unset = domainFacts({ relayHost: '[smtp.relay.example]:587' });
      publish('v=spf1 mx -all');
      expect(await check('spf', unset)).toMatchObject({
        ...problem('warning', /^Mail leaves through \[smtp\.relay\.example\]:587/),
        fix: expect.stringContaining('RELAY_SPF'),
      });
      publish('v=spf1 +all');
      expect(await check('spf', unset)).toMatchObject(problem('error', /every server/));
      publish(`v=spf1 include:${relaySpf} -all`);
      const set = domainFacts({ relayHost: '[smtp.relay.example]:587', relaySpf });
      expect(await check('spf', set)).toMatchObject({ status: 'ok' });
    });

    it('says so if the name has no SPF record, or no answer', async () => {
      publish(`v=spf1 mx include:${relaySpf} -all`);
      zoneOf(relaySpf).TXT = ['other=1'];
      expect(await check('spf', relayed)).toMatchObject({
        ...problem('error', /^_spf\.relay\.example has no SPF record/),
        fix: expect.stringContaining('RELAY_SPF'),
      });
      server.faults = { [relaySpf]: 'servfail' };
      expect(await check('spf', relayed)).toMatchObject(problem('warning', /SERVFAIL/, 'temporary_error'));
    });

    it('asks the domain at which the relay is published for no include of itself', async () => {
      const own = domainFacts({ relaySpf: facts.name });
      publish('v=spf1 ip4:198.51.100.7 -all');
      expect(await check('spf', own)).toMatchObject({ status: 'ok', expected: 'v=spf1 mx -all' });
    });
  });

  it('is not judged while a name in it has no answer', async () => {
    publish('v=spf1 include:slow.example mx -all');
    server.faults = { 'slow.example': 'servfail' };
    expect(await check('spf')).toMatchObject(problem('warning', /slow\.example.*SERVFAIL/, 'temporary_error'));
  });
});

describe('DKIM', () => {
  const [rsa] = facts.dkimKeys;
  const keys = (...dkimKeys: (typeof facts.dkimKeys)[number][]) => domainFacts({ dkimKeys });
  const ed25519 = { selector: 's2', status: 'active', value: `v=DKIM1; k=ed25519; p=${'A'.repeat(43)}=` } as const;

  it('accepts RSA and Ed25519 keys, written differently too', async () => {
    const both = keys(...facts.dkimKeys, ed25519);
    server.zone = publishedZone(both);
    zoneOf(DKIM).TXT = [rsa?.value.replace('v=DKIM1; k=rsa; ', '').replace(/(.{10})$/, ' $1') ?? ''];
    expect(await check('dkim', both)).toMatchObject({ status: 'ok' });
    expect(await check('dkim', both, 's2')).toMatchObject({ status: 'ok', severity: 'ok', required: true });
  });

  it.each<[string, string[], RegExp, string]>([
    ['of another value', ['v=DKIM1; k=rsa; p=MIIBother'], /not the one that signs/, 'mismatch'],
    ['of another type', ['v=DKIM1; k=ed25519; p=MIIBother'], /type ed25519, not rsa/, 'mismatch'],
    ['that is revoked', ['v=DKIM1; p='], /revoked/, 'mismatch'],
    ['without a key', ['v=DKIM1; k=rsa'], /no valid key/, 'mismatch'],
    ['with a tag twice', ['v=DKIM1; p=a; p=b'], /p is there twice/, 'mismatch'],
    ['of another version', ['v=DKIM2; p=a'], /DKIM2, and only DKIM1/, 'mismatch'],
    ['beside the right one', [rsa?.value ?? '', 'v=DKIM1; p='], /2 DKIM records/, 'multiple'],
  ])('rejects a record %s', async (_, texts, message, status) => {
    zoneOf(DKIM).TXT = texts;
    expect(await check('dkim')).toMatchObject(problem('error', message, status));
  });

  it('needs a pending key before it is activated, and may keep a retired one', async () => {
    const over = keys(
      { ...ed25519, status: 'pending' },
      { selector: 's0', status: 'retired', value: rsa?.value ?? '' },
    );
    expect(await check('dkim', over, 's2')).toMatchObject({ status: 'missing', severity: 'warning', required: false });
    await expect(check('dkim', over, 's0')).rejects.toThrow('no dkim record s0');
    zoneOf(`s0._domainkey.${facts.name}`).TXT = [rsa?.value ?? ''];
    expect(await check('dkim', over, 's0')).toMatchObject(problem('info', /still published/, 'ok'));
    zoneOf(`s0._domainkey.${facts.name}`).TXT = ['v=DKIM1; p='];
    expect(await check('dkim', over, 's0')).toMatchObject(problem('info', /revoked/, 'ok'));
  });
});

describe('DMARC', () => {
  const publish = (text: string) => {
    zoneOf(DMARC).TXT = [text];
  };

  it.each([
    `v=DMARC1; p=quarantine; ${REPORTS}`,
    `v=DMARC1;p=REJECT;sp=none;np=reject;psd=n;t=n;adkim=s;aspf=r;fo=1:d:s;${REPORTS},mailto:b@mx.${facts.name}!10m`,
    `v=DMARC1; p=reject; pct=50; rf=afrf; ri=86400; future=x; ${REPORTS}`,
  ])('accepts %s', async (text) => {
    publish(text);
    expect(await check('dmarc')).toMatchObject({ status: 'ok' });
  });

  it.each([
    'p=maybe',
    'sp=',
    'np=x',
    'psd=2',
    't=maybe',
    'adkim=x',
    'aspf=rs',
    'fo=2',
    'rua=mailto:',
    'ruf=ann@a.example',
    'pct=101',
    'rf=iodef',
    'ri=x',
  ])('rejects %s', async (tag) => {
    publish(`v=DMARC1; ${tag.startsWith('p=') ? '' : 'p=reject; '}${tag}`);
    expect(await check('dmarc')).toMatchObject(problem('error', new RegExp(`invalid: ${tag} `)));
  });

  it('rejects a record that is no list of tags, or has one twice', async () => {
    publish('v=DMARC1; p');
    expect(await check('dmarc')).toMatchObject(problem('error', /invalid/));
    publish('v=DMARC1; p=reject; p=none');
    expect(await check('dmarc')).toMatchObject(problem('error', /invalid/));
    publish(`v=DMARC1; p=reject; ${REPORTS}\n`);
    expect(await check('dmarc')).toMatchObject(problem('error', /has a line break/));
  });

  it.each<[string, RegExp]>([
    [`p=none; ${REPORTS}`, /policy is none/],
    [REPORTS, /policy is none/],
    [`p=reject; t=y; ${REPORTS}`, /only being tested/],
    ['p=reject', /no rua/],
  ])('warns of %s', async (tags, message) => {
    publish(`v=DMARC1; ${tags}`);
    expect(await check('dmarc')).toMatchObject(problem('warning', message));
  });

  it('asks whether another organization accepts the reports', async () => {
    publish('v=DMARC1; p=reject; rua=mailto:acme@reports.far.example');
    expect(await check('dmarc')).toMatchObject(problem('warning', /reports\.far\.example doesn’t accept/));
    zoneOf(`${facts.name}._report._dmarc.reports.far.example`).TXT = ['v=DMARC1;'];
    expect(await check('dmarc')).toMatchObject({ status: 'ok' });
    server.faults = { [`${facts.name}._report._dmarc.reports.far.example`]: 'refused' };
    expect(await check('dmarc')).toMatchObject(problem('warning', /REFUSED/, 'temporary_error'));
  });
});

describe('TLS reports', () => {
  const publish = (...texts: string[]) => {
    zoneOf(`_smtp._tls.${facts.name}`).TXT = texts;
  };

  it('is optional, and has addresses to report to', async () => {
    publish();
    expect(await check('tls_rpt')).toMatchObject({ status: 'missing', severity: 'info', required: false });
    publish('v=TLSRPTv1; rua=https://reports.example/x,mailto:tls@far.example');
    expect(await check('tls_rpt')).toMatchObject({ status: 'ok' });
    publish('v=TLSRPTv1; rua=ftp://reports.example');
    expect(await check('tls_rpt')).toMatchObject(problem('warning', /no valid address/));
    publish('v=TLSRPTv1;');
    expect(await check('tls_rpt')).toMatchObject(problem('warning', /no valid address/));
    publish('v=TLSRPTv1; rua=mailto:a@b.example', 'v=TLSRPTv1; rua=mailto:c@d.example');
    expect(await check('tls_rpt')).toMatchObject(problem('warning', /2 TLS report records/, 'multiple'));
  });
});
