import type { Hop } from '@/components/marks/timeline';
import { EmailAddress } from '@/components/values/email-address';
import { formatPlural } from '@/lib/format';
import type { Resolution } from '../../schema';
import classes from './trace-hops.module.css';

const DECISIONS = {
  mailbox: { code: 'BOX', state: 'delivered', rim: ['DELIVERED', 'TO A MAILBOX'], title: 'Delivered to a mailbox' },
  alias: { code: 'ALIAS', state: 'passed', rim: ['ROUTED', 'BY ALIAS'], title: 'Matched an alias' },
  reports: { code: 'READ', state: 'delivered', rim: ['READ', 'AS A REPORT'], title: 'Read as DMARC and TLS reports' },
  catch_all: { code: 'ALL', state: 'passed', rim: ['ROUTED', 'BY CATCH-ALL'], title: 'Matched the catch-all' },
  rejected: { code: '550', state: 'failed', rim: ['REJECTED', 'NOT ACCEPTED'], title: 'Rejected' },
} as const;

/** The route of mail to an address, one stamp per hop. */
export function traceHops({ address, outcome, destinations, dropped }: Resolution): Hop[] {
  const { rim, ...decision } = DECISIONS[outcome];
  const hops: Hop[] = [
    {
      id: 'in',
      code: 'IN',
      state: 'passed',
      rim: ['ARRIVES', 'MAIL SERVER'],
      title: 'Mail arrives',
      detail: <Addresses list={[address]} />,
    },
    { id: 'decision', rim: [rim[0], rim[1]], ...decision },
  ];
  if (destinations.length > 0 && outcome !== 'mailbox' && outcome !== 'reports') {
    hops.push({
      id: 'out',
      code: 'OUT',
      state: 'delivered',
      rim: ['FORWARDED', formatPlural(destinations.length, 'COPY', 'COPIES')],
      title: `Forwarded to ${formatPlural(destinations.length, 'address', 'addresses')}`,
      detail: <Addresses list={destinations} />,
    });
  }
  if (dropped.length > 0) {
    hops.push({
      id: 'dropped',
      code: 'LOST',
      state: 'bounced',
      rim: ['DROPPED', 'NO MAILBOX'],
      title: `${formatPlural(dropped.length, 'destination')} dropped`,
      detail: (
        <>
          <Addresses list={dropped} />
          <span className={classes.line}>No active mailbox has this address.</span>
        </>
      ),
    });
  }
  return hops;
}

function Addresses({ list }: { list: string[] }) {
  return list.map((address) => (
    <span key={address} className={classes.line}>
      <EmailAddress value={address} />
    </span>
  ));
}
