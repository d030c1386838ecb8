import Link from 'next/link';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { Overview } from '../schema';

type Checks = Overview['checklist'];

const STEPS: { key: keyof Checks; title: string; text: string; href: string; action: string }[] = [
  {
    key: 'has_domain',
    title: 'Add a domain',
    text: 'What stands after the @ of the addresses you send from',
    href: '/domains?new=true',
    action: 'Add a domain',
  },
  {
    key: 'has_api_key',
    title: 'Create an API key',
    text: 'For the program that is to send; you can do without for now',
    href: '/api-keys?new=true',
    action: 'New key',
  },
  {
    key: 'has_sent',
    title: 'Send a message',
    text: 'A test to yourself, with its whole way on record',
    href: '/send?test=true',
    action: 'Send test',
  },
];

export function Checklist({ done }: { done: Checks }) {
  const left = STEPS.filter(({ key }) => !done[key]).length;
  return (
    <section aria-labelledby="first-steps">
      <div className="section">
        <h2 id="first-steps">First steps</h2>
        <span className="quiet">{formatCount(left)} left</span>
      </div>
      <ol className="checklist">
        {STEPS.map(({ key, title, text, href, action }) => (
          <li key={key}>
            <StatusMark status={done[key] ? 'delivered' : 'pending'}>{done[key] ? 'Done' : 'To do'}</StatusMark>
            <span>
              <b>{title}</b> <span className="soft">{text}</span>
            </span>
            {!done[key] && (
              <Link className="act spacer" href={href}>
                {action}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
