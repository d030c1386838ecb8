import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { useHasRole } from '@/components/shell/use-has-role';
import { formatCount, formatPlural } from '@/lib/format';
import type { Overview } from '../schema';
import classes from './checklist.module.css';

type Checks = Overview['checklist'];

type Step = {
  key: string;
  isDone: boolean;
  title: string;
  text: string;
  href: string;
  action: string;
};

/** The steps to the first message, and after one that stayed in the sandbox, those to real mail. */
export function Checklist({ overview: { checklist, mta } }: { overview: Overview }) {
  const canSetUp = useHasRole('admin');
  const canConnect = useHasRole('super_admin');
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 }).data;
  if (checklist.has_sent) {
    if (mta !== 'sandbox' || !me || !canConnect) return null;
    return <Steps title="Next steps" steps={nextStepsOf(me.totp_enabled).filter(({ isDone }) => !isDone)} />;
  }
  return (
    <Steps title="Get started" steps={stepsOf(checklist)}>
      {canSetUp && (
        <NearLink className="act spacer" href="/setup">
          Continue setup
        </NearLink>
      )}
    </Steps>
  );
}

function Steps({ title, steps, children }: { title: string; steps: Step[]; children?: ReactNode }) {
  const left = steps.filter(({ isDone }) => !isDone).length;
  return (
    <section aria-labelledby="get-started">
      <SectionHeading title={title} id="get-started">
        <span className="quiet">{formatCount(left)} left</span>
        {children}
      </SectionHeading>
      <ol className={classes.checklist}>
        {steps.map((step) => (
          <li key={step.key}>
            <StatusMark status={step.isDone ? 'delivered' : 'pending'}>{step.isDone ? 'Done' : 'To do'}</StatusMark>
            <span>
              <b>{step.title}</b> <span className="soft">{step.text}</span>
            </span>
            {!step.isDone && (
              <NearLink className={`act ${classes.action}`} href={step.href}>
                {step.action}
              </NearLink>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function stepsOf({ has_domain, has_mailbox, has_api_key, has_sent, dns }: Checks): Step[] {
  return [
    {
      key: 'domain',
      isDone: has_domain,
      title: 'Add a domain',
      text: 'The part after the @ in the addresses you send from',
      href: '/domains?new=true',
      action: 'Add domain',
    },
    {
      key: 'dns',
      isDone: dns?.is_checked === true && dns.broken === 0,
      title: 'Publish the DNS records',
      text: dnsText(dns),
      href: dns ? `/domains/${dns.domain_id}?view=publish` : '/domains?new=true',
      action: dns ? 'View records' : 'Add domain',
    },
    {
      key: 'mailbox',
      isDone: has_mailbox,
      title: 'Create a mailbox',
      text: 'To receive mail, and to send it from a mail program',
      href: dns ? `/mailboxes?new=true&domain=${dns.domain_id}` : '/mailboxes?new=true',
      action: 'Create mailbox',
    },
    {
      key: 'sent',
      isDone: has_sent,
      title: 'Send a message',
      text: 'A test message to yourself, with its full trace',
      href: '/send?test=true',
      action: 'Send test',
    },
    {
      key: 'key',
      isDone: has_api_key,
      title: 'Create an API key',
      text: 'Optional. Lets your application send mail',
      href: '/api-keys?new=true',
      action: 'Create key',
    },
  ];
}

function nextStepsOf(hasSecondFactor: boolean): Step[] {
  return [
    {
      key: 'mail-server',
      isDone: false,
      title: 'Connect the mail server',
      text: 'Until then, messages stay in the sandbox',
      href: '/system/services',
      action: 'Show how',
    },
    {
      key: 'second-factor',
      isDone: hasSecondFactor,
      title: 'Set up two-factor authentication',
      text: 'So that a stolen password is not enough to sign in as you',
      href: '/account',
      action: 'Open account',
    },
  ];
}

function dnsText(dns: Checks['dns']): string {
  if (!dns) return 'So that other servers deliver to you and trust your mail';
  if (!dns.is_checked) return `${dns.domain} is checked within a minute`;
  if (dns.broken === 0) return `Everything that mail of ${dns.domain} needs is published`;
  return `${formatPlural(dns.broken, 'record')} that mail of ${dns.domain} needs ${dns.broken === 1 ? 'is' : 'are'} missing or wrong`;
}
