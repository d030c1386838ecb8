'use client';

import { Button, Stack, Tabs, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { useSendMessage } from '@/components/api/use-send';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { DateTimeInput } from '@/components/forms/date-time-input';
import type { FieldError } from '@/components/forms/field-errors';
import { useApiForm } from '@/components/forms/use-api-form';
import { IconSend } from '@/components/icons/icons';
import { FieldPair } from '@/components/layout/form-layout';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import { formatClock, formatDay, formatPlural, formatZone } from '@/lib/format';
import { currentTimeZone } from '@/lib/time/time-zone';
import { enteredTime } from '@/lib/time/zoned-time';
import { OutgoingMessage, type Sent } from '../../schema';
import { ApiEquivalent } from '../api-equivalent';
import { SendFooter } from '../send-footer';
import { SendResult } from '../send-result';
import { AttachmentsInput } from './attachments-input';
import classes from './compose-form.module.css';
import { type ComposeValues, composeErrors, EMPTY_COMPOSE, requestWith, requestWithFiles } from './compose-values';
import { HeadersInput } from './headers-input';
import { RecipientsInput } from './recipients-input';
import { SenderInput } from './sender-input';
import { dropDraft, useDraft } from './use-draft';

type ComposeFormProps = { initial: ComposeValues };

export function ComposeForm({ initial }: ComposeFormProps) {
  const utils = trpc.useUtils();
  const [body, setBody] = useState<string | null>(initial.html_body && !initial.text_body ? 'html' : 'text');
  const send = useSendMessage();
  const { form, problem, isBusy, onSubmit, reset } = useApiForm({
    schema: OutgoingMessage,
    initialValues: initial,
    toInput: (values: ComposeValues) => requestWith(values, () => ''),
    rules: composeErrors,
    describe: nameInMessage,
    submit: async (_, values) => {
      send.reset();
      return send.mutateAsync(await requestWithFiles(values));
    },
    onSaved: () => {
      dropDraft();
      void utils.messages.invalidate();
      void utils.overview.invalidate();
    },
  });
  const { values, errors } = form;
  // Without a body, both fields have the same error. One is enough.
  const htmlError = errors.html_body !== errors.text_body && errors.html_body;
  useDraft(values, form.isDirty());

  const clear = () => {
    dropDraft();
    form.setInitialValues({ ...EMPTY_COMPOSE, from: values.from });
    reset();
    send.reset();
  };

  const recipients = values.to.length + values.cc.length + values.bcc.length;
  const sendAt = enteredTime(values.send_at, currentTimeZone())?.toISOString();

  return (
    <div className={classes.compose}>
      <form
        noValidate
        aria-label="Message"
        onSubmit={onSubmit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <SettingsSection
          title="Envelope"
          hint="Enter addresses or paste a list. Bcc recipients are hidden from everyone else."
        >
          <Stack>
            <SenderInput {...form.getInputProps('from')} value={values.from} />
            <RecipientsInput label="To" placeholder="ann@example.com" {...form.getInputProps('to')} value={values.to} />
            <FieldPair isStacked>
              <RecipientsInput label="Cc" {...form.getInputProps('cc')} value={values.cc} />
              <RecipientsInput label="Bcc" {...form.getInputProps('bcc')} value={values.bcc} />
            </FieldPair>
            <TextInput
              label="Reply-To"
              className="mono-input"
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps('reply_to')}
            />
          </Stack>
        </SettingsSection>
        <SettingsSection title="Message" hint="Text, HTML or both. Mail programs without HTML show the text.">
          <Stack>
            <TextInput label="Subject" maxLength={998} {...form.getInputProps('subject')} />
            <Tabs value={body} onChange={setBody} keepMounted>
              <Tabs.List aria-label="Body">
                <Tabs.Tab value="text">Text{errors.text_body && <span className="danger"> (error)</span>}</Tabs.Tab>
                <Tabs.Tab value="html">HTML{htmlError && <span className="danger"> (error)</span>}</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="text" pt={8}>
                <Textarea
                  aria-label="Text body"
                  autosize
                  minRows={8}
                  maxRows={20}
                  {...form.getInputProps('text_body')}
                />
              </Tabs.Panel>
              <Tabs.Panel value="html" pt={8}>
                <Textarea
                  aria-label="HTML body"
                  className="mono-input"
                  autosize
                  minRows={8}
                  maxRows={20}
                  spellCheck={false}
                  placeholder="<p>…</p>"
                  {...form.getInputProps('html_body')}
                  error={htmlError}
                />
              </Tabs.Panel>
            </Tabs>
          </Stack>
        </SettingsSection>
        <SettingsSection title="Attachments" hint="Up to 25 MB in total. More by the API.">
          <AttachmentsInput {...form.getInputProps('attachments')} value={values.attachments} />
        </SettingsSection>
        <SettingsSection title="Headers" hint="Names must start with X-.">
          <HeadersInput {...form.getInputProps('headers')} value={values.headers} />
        </SettingsSection>
        {(recipients === 1 || values.unsubscribe.list !== '') && (
          <SettingsSection
            title="Unsubscribing"
            hint="Adds a link to unsubscribe to the header, which mail programs show as a button. Recipients who unsubscribed from the list are left out."
          >
            <TextInput
              label="Mailing list (optional)"
              className="mono-input"
              placeholder="newsletter"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              {...form.getInputProps('unsubscribe.list')}
              error={errors['unsubscribe.list'] ?? errors.unsubscribe}
            />
          </SettingsSection>
        )}
        <SettingsSection title="Time" hint="Up to 30 days ahead. Empty sends the message immediately.">
          <DateTimeInput label="Send at (optional)" {...form.getInputProps('send_at')} value={values.send_at} />
        </SettingsSection>
        <SendFooter
          problem={problem}
          state={
            Object.keys(errors).length > 0 ? (
              <StatusMark status="bounced">Fix the highlighted fields</StatusMark>
            ) : (
              <span className="quiet">
                {formatPlural(recipients, 'recipient')}
                {sendAt && `, on ${formatDay(sendAt)} at ${formatClock(sendAt)} ${formatZone()}`}
              </span>
            )
          }
        >
          <Button variant="subtle" color="gray" onClick={clear}>
            Clear form
          </Button>
          <Button variant="filled" type="submit" leftSection={<IconSend stroke={1.75} />} loading={isBusy}>
            {values.send_at === '' ? 'Send message' : 'Schedule message'}
          </Button>
        </SendFooter>
      </form>
      <UnsavedGuard
        isDirty={values.attachments.length > 0 && !send.isSuccess}
        what="Your text is kept as a draft, but the attachments are dropped."
        action="Leave without attachments"
      />
      <aside className={classes.side} aria-label="Result and API equivalent">
        {send.data && (
          <SendResult
            messageId={send.data.message_id}
            id={send.data.id}
            to={reachedOf(values, send.data.suppressed)}
            suppressed={send.data.suppressed}
            sendAt={send.data.send_at}
          />
        )}
        <ApiEquivalent values={values} />
      </aside>
    </div>
  );
}

function nameInMessage({ path, message }: FieldError, values: ComposeValues): string {
  const at = /^(to|cc|bcc)\.(\d+)/.exec(path);
  const address = at && values[at[1] as 'to' | 'cc' | 'bcc'][Number(at[2])]?.email;
  if (address) return `${address}: ${message}`;
  const header = /^headers\.(.+)$/.exec(path);
  return header ? `${header[1]}: ${message}` : message;
}

/** The To addresses that the message was sent to, or the others if there are none. */
function reachedOf({ to, cc, bcc }: ComposeValues, suppressed: Sent['suppressed'] = []): string[] {
  const isReached = ({ email }: { email: string }) =>
    !suppressed.some((left) => left.email.toLowerCase() === email.trim().toLowerCase());
  const reached = to.filter(isReached);
  return (reached.length > 0 ? reached : [...cc, ...bcc].filter(isReached)).map(({ email }) => email);
}
