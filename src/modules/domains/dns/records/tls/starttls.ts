import {
  addressesOf,
  type DomainFacts,
  type ExaminedRecord,
  info,
  mismatch,
  ok,
  type Probes,
  type TlsOffer,
  type Verdict,
} from '../record';

const DAY_MS = 86_400_000;
const EXPIRY_WARNING_DAYS = 14;
const MAX_ADDRESSES = 8;

type StartTls = NonNullable<Probes['startTls']>;
type Offered = { address: string; offer: TlsOffer };

/** TLS: every address of an MX host has a certificate that other servers accept. */
export function startTlsRecords(
  { mtaStsMode }: DomainFacts,
  mxHosts: readonly string[],
  startTls: StartTls,
): ExaminedRecord[] {
  return mxHosts.map((host) => ({
    purpose: 'starttls',
    type: 'A',
    name: host,
    expected: null,
    async examine(resolver) {
      const addresses = (await addressesOf(resolver, host)).slice(0, MAX_ADDRESSES);
      const offers = await Promise.all(
        addresses.map(async (address) => ({ address, offer: await startTls(address, host, resolver.signal) })),
      );
      return {
        ...judge(offers, host),
        found: offers.flatMap(describe),
        ttl: null,
        // Otherwise, other servers deliver without TLS.
        required: mtaStsMode === 'enforce',
      };
    },
  }));
}

function describe({ address, offer }: Offered): string[] {
  if (offer.outcome !== 'certificate') return [];
  const expiry = offer.expiresAt
    ? `until ${offer.expiresAt.toISOString().slice(0, 10)}`
    : 'without a valid expiry date';
  return [`${address}: certificate ${expiry}`];
}

/** The worst of all addresses. */
function judge(offers: Offered[], host: string): Verdict {
  const verdicts = offers.map(judgeOne);
  const worst = ['error', 'warning', 'info'].flatMap((severity) => verdicts.filter((one) => one.severity === severity));
  if (offers.length === 0) return info(`${host} has no address.`);
  return worst[0] ?? ok(`${host} offers TLS with a valid certificate.`);
}

function judgeOne({ address, offer }: Offered): Verdict {
  if (offer.outcome === 'unreachable') {
    const message = `Port 25 of ${address} can’t be reached from here (${offer.message}). Many networks block connections to it.`;
    return { status: 'temporary_error', severity: 'info', message, fix: null };
  }
  if (offer.outcome === 'no_tls') {
    return mismatch(
      'error',
      `${address} doesn’t offer TLS: ${offer.message}.`,
      'Set TLS_CERTIFICATE of the mail server.',
    );
  }
  if (offer.expiresAt === null) return rejected(address, 'its expiry date is invalid.');
  if (offer.problem !== null) return rejected(address, offer.problem);
  const days = Math.floor((offer.expiresAt.getTime() - Date.now()) / DAY_MS);
  if (days >= EXPIRY_WARNING_DAYS) return ok('');
  return mismatch('warning', `The certificate of ${address} expires in ${days} days.`, RENEW);
}

function rejected(address: string, problem: string): Verdict {
  return mismatch('error', `${address} has a certificate that other servers reject: ${problem}`, RENEW);
}

const RENEW = 'Renew the certificate of the mail server.';
