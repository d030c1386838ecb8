import Link from 'next/link';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { Overview } from '../schema';
import classes from './checklist.module.css';

type Checks = Overview['checklist'];

const STEPS: { key: keyof Checks; title: string; text: string; href: string; action: string }[] = [
  {
    key: 'has_domain',
    title: 'Add a domain',
    text: 'The part after the @ in the addresses you send from',
    href: '/domains?new=true',
    action: 'Add domain',
  },
  {
    key: 'has_api_key',
    title: 'Create an API key',
    text: 'Optional. Lets your application send mail',
    href: '/api-keys?new=true',
    action: 'Create key',
  },
  {
    key: 'has_sent',
    title: 'Send a message',
    text: 'A test message to yourself, with its full trace',
    href: '/send?test=true',
    action: 'Send test',
  },
];

export function Checklist({ done }: { done: Checks }) {
  const left = STEPS.filter(({ key }) => !done[key]).length;
  return (
    <section aria-labelledby="get-started">
      <SectionHeading title="Get started" id="get-started">
        <span className="quiet">{formatCount(left)} left</span>
      </SectionHeading>
      <ol className={classes.checklist}>
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
