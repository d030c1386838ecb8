'use client';

import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { IconRefresh } from '@/components/icons/icons';
import { SectionHeading } from '@/components/layout/section-heading';
import { messageStatus, SlowSubmission } from '@/components/marks/outcome-marks';
import { Skeleton } from '@/components/marks/skeleton';
import { StatusMark } from '@/components/marks/status-mark';
import { Timeline, TimelineSkeleton } from '@/components/marks/timeline';
import { NearLink } from '@/components/near-link';
import { useHasRole } from '@/components/shell/use-has-role';
import { Badge } from '@/components/text/badge';
import { DetailsList } from '@/components/text/details-list';
import { TextButton } from '@/components/text/text-button';
import { CodeBlock } from '@/components/values/code-block';
import { CopyButton, CopyIcon } from '@/components/values/copy-button';
import { EmailAddress } from '@/components/values/email-address';
import { JsonText } from '@/components/values/json-text';
import { formatFull } from '@/lib/format';
import { tagText } from '@/lib/mail/message-tags';
import { isSlowSubmission } from '@/lib/mail/slow-submission';
import type { Message } from '../schema';
import { canResend, ResendButton } from './content/resend-button';
import classes from './message-view.module.css';
import { type Explanation, explainedRecipients, explainOutcome } from './outcome/explain-outcome';
import { ScheduledButtons } from './scheduled/scheduled-buttons';
import { hopsOf } from './trace/message-hops';

type MessageViewProps = { message: Message; withTitle?: boolean };

/** The states that have a reason. */
const UNDELIVERED: ReadonlySet<Message['status']> = new Set(['deferred', 'bounced', 'failed', 'uncertain']);

export function MessageView({ message, withTitle }: MessageViewProps) {
  const explanation = explainOutcome(message);
  const explained = explainedRecipients(message);
  const tags = Object.entries(message.tags);
  const metadata = JSON.stringify(message.metadata, null, 2);
  const level = withTitle ? 3 : 2;
  const Title = `h${level}` as const;
  const canSeeServices = useHasRole('super_admin');
  return (
    <>
      {withTitle && <h2>{message.subject || '(no subject)'}</h2>}
      <section className={classes.explanation} aria-label="Explanation">
        <Title>
          {UNDELIVERED.has(message.status) && <span className="quiet">Why? </span>}
          {explanation.isWarning ? <StatusMark status="warning">{explanation.title}</StatusMark> : explanation.title}
        </Title>
        {explained && <p className="soft">For {explained}</p>}
        <p>
          {explanation.text}
          {explanation.isWarning && canSeeServices && (
            <>
              {' '}
              <NearLink className="act" href="/system/services">
                Review services
              </NearLink>
            </>
          )}
        </p>
        {message.status === 'scheduled' && (
          <Group pt="md">
            <ScheduledButtons message={message} />
          </Group>
        )}
        {(explanation.resend || explanation.reply) && (
          <Group pt="md">
            {explanation.missing && (
              <Button component={NearLink} href={newMailboxHref(explanation.missing)}>
                Create mailbox
              </Button>
            )}
            {explanation.mailboxId && (
              <Button component={NearLink} href={`/mailboxes/${explanation.mailboxId}`}>
                Open mailbox
              </Button>
            )}
            <NextStep message={message} resend={explanation.resend} />
            {explanation.reply && <CopyButton value={explanation.reply} label="Copy reply" />}
          </Group>
        )}
      </section>
      <DetailsList>
        <dt>From</dt>
        <dd>
          <EmailAddress value={message.from} />
        </dd>
        {message.send_at && (
          <>
            <dt>Scheduled</dt>
            <dd>{formatFull(message.send_at)}</dd>
          </>
        )}
        <dt>Message ID</dt>
        <dd>
          <span className="mono clip soft" title={message.message_id}>
            {message.message_id}
          </span>
          <CopyIcon value={message.message_id} what="the message ID" />
        </dd>
        {message.queue_id && (
          <>
            <dt>Queue ID</dt>
            <dd>
              <span className="mono soft">{message.queue_id}</span>
            </dd>
          </>
        )}
        {message.content.message && (
          <>
            <dt>Content</dt>
            <dd className="soft">{message.content.message}</dd>
          </>
        )}
        {message.spam_score !== null && (
          <>
            <dt>Spam score</dt>
            <dd>{message.spam_score}</dd>
          </>
        )}
        {message.template && (
          <>
            <dt>Template</dt>
            <dd>
              <NearLink href={`/templates/${message.template.id}`}>{message.template.name}</NearLink>, version{' '}
              {message.template.version}
            </dd>
          </>
        )}
        {tags.length > 0 && (
          <>
            <dt>Tags</dt>
            <dd className={classes.tags}>
              {tags.map(([name, value]) => (
                <NearLink key={name} href={`/messages?${new URLSearchParams({ tag: tagText(name, value) })}`}>
                  {name}: {value}
                </NearLink>
              ))}
            </dd>
          </>
        )}
      </DetailsList>
      {message.metadata && (
        <CodeBlock title="Metadata" code={metadata} what="the metadata">
          <JsonText text={metadata} />
        </CodeBlock>
      )}
      <Recipients message={message} level={level} />
      <section aria-labelledby="trace">
        <SectionHeading title="Trace" id="trace" level={level} />
        <Timeline hops={hopsOf(message)} label="Trace of this message" />
      </section>
    </>
  );
}

/** Resends the message itself if its content is kept, else starts a new one. */
function NextStep({ message, resend }: { message: Message; resend: Explanation['resend'] }) {
  if (!resend) return null;
  if (resend === 'same' && canResend(message)) return <ResendButton message={message} variant="outline" />;
  return (
    <Button component={NearLink} variant="outline" href={resendHref(message, resend)}>
      {resend === 'same' ? 'Write again' : 'Send to another address'}
    </Button>
  );
}

function resendHref({ from, to, subject }: Message, resend: 'same' | 'other'): string {
  const search = new URLSearchParams({ from, subject });
  if (resend === 'same') for (const address of to) search.append('to', address);
  return `/send?${search}`;
}

function newMailboxHref({ address, domainId }: NonNullable<Explanation['missing']>): string {
  const local = address.slice(0, address.lastIndexOf('@'));
  return `/mailboxes?${new URLSearchParams({ new: 'true', domain: domainId, local })}`;
}

/** More are a click away: a message can have hundreds. */
const SHOWN_RECIPIENTS = 20;

function Recipients({ message, level }: { message: Message; level: 2 | 3 }) {
  const [isAll, { open: showAll }] = useDisclosure(false);
  const { recipients } = message;
  const isSlow = isSlowSubmission(message);
  const shown = isAll ? recipients : recipients.slice(0, SHOWN_RECIPIENTS);
  const hidden = recipients.length - shown.length;
  return (
    <section aria-labelledby="recipients">
      <SectionHeading title="Recipients" id="recipients" level={level}>
        <span className="quiet">{recipients.length}</span>
      </SectionHeading>
      <ul className={classes.recipients}>
        {shown.map(({ address, kind, status, smtp_code, enhanced_code, response }) => (
          <li key={address}>
            {isSlow && status === 'submitting' ? <SlowSubmission /> : <StatusMark status={messageStatus(status)} />}
            <EmailAddress value={address} />
            {kind !== 'to' && <Badge>{kind === 'cc' ? 'Cc' : 'Bcc'}</Badge>}
            {smtp_code !== null && (
              <code className="spacer" title={response ?? undefined}>
                {[smtp_code, enhanced_code].filter(Boolean).join(' ')}
              </code>
            )}
          </li>
        ))}
      </ul>
      {hidden > 0 && <TextButton onClick={showAll}>Show {hidden} more</TextButton>}
    </section>
  );
}

export function MessageViewSkeleton() {
  return (
    <div aria-busy="true">
      {[240, 200, 320].map((width) => (
        <p key={width} style={{ height: 24 }}>
          <Skeleton width={width} />
        </p>
      ))}
      <SectionHeading title={<Skeleton width={72} />} level={3} />
      <TimelineSkeleton count={3} />
    </div>
  );
}

type MessageViewErrorProps = { error: unknown; onRetry: () => void };

export function MessageViewError({ error, onRetry }: MessageViewErrorProps) {
  return (
    <Stack>
      <ProblemAlert problem={toProblem(error)} title="Couldn’t load this message" />
      <div>
        <Button variant="outline" leftSection={<IconRefresh stroke={1.5} />} onClick={onRetry}>
          Retry
        </Button>
      </div>
    </Stack>
  );
}
