import { EmailAddress } from '@/components/email-address';
import type { Hop } from '@/components/marks/timeline';
import { formatPlural } from '@/lib/format';
import type { Resolution } from '../../schema';

const SORTED = {
  mailbox: { code: 'BOX', state: 'delivered', rim: ['DELIVERED', 'TO A MAILBOX'], title: 'A mailbox takes it' },
  alias: { code: 'ALIAS', state: 'passed', rim: ['SORTED', 'BY ITS ALIAS'], title: 'An alias takes it' },
  catch_all: { code: 'ALL', state: 'passed', rim: ['SORTED', 'BY CATCH-ALL'], title: 'The catch-all takes it' },
  rejected: { code: '550', state: 'failed', rim: ['REFUSED', 'SENT BACK'], title: 'It is refused' },
} as const;

/** The way of mail for an address, as stamps. */
export function traceHops({ address, outcome, destinations, dropped }: Resolution): Hop[] {
  const { rim, ...sorted } = SORTED[outcome];
  const hops: Hop[] = [
    {
      id: 'in',
      code: 'IN',
      state: 'passed',
      rim: ['ARRIVES', 'AT THE DOOR'],
      title: 'Mail arrives',
      detail: <Addresses list={[address]} />,
    },
    { id: 'sorted', rim: [rim[0], rim[1]], ...sorted },
  ];
  if (destinations.length > 0 && outcome !== 'mailbox') {
    hops.push({
      id: 'out',
      code: 'OUT',
      state: 'delivered',
      rim: ['SENT ON', formatPlural(destinations.length, 'COPY', 'COPIES')],
      title: `It goes on to ${formatPlural(destinations.length, 'address', 'addresses')}`,
      detail: <Addresses list={destinations} />,
    });
  }
  if (dropped.length > 0) {
    hops.push({
      id: 'dropped',
      code: 'LOST',
      state: 'bounced',
      rim: ['DROPPED', 'NO MAILBOX'],
      title: `${formatPlural(dropped.length, 'destination gets', 'destinations get')} nothing`,
      detail: (
        <>
          <Addresses list={dropped} />
          <span className="trace-line">No active mailbox here has this address.</span>
        </>
      ),
    });
  }
  return hops;
}

function Addresses({ list }: { list: string[] }) {
  return list.map((address) => (
    <span key={address} className="trace-line">
      <EmailAddress value={address} />
    </span>
  ));
}
