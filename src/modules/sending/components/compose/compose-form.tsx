'use client';

import { Button, Stack, Tabs, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconSend } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { applyFieldErrors, type Problem, type ProblemField, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { useSendMessage } from '@/components/api/use-send';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { AddressFields } from '@/components/directory/address-fields';
import { FieldPair } from '@/components/layout/form-layout';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import { formatPlural } from '@/lib/format';
import { ApiEquivalent } from '../api-equivalent';
import { SendFooter } from '../send-footer';
import { SendResult } from '../send-result';
import { AttachmentsInput } from './attachments-input';
import classes from './compose-form.module.css';
import {
  COMPOSE_FIELDS,
  type ComposeValues,
  EMPTY_COMPOSE,
  readAttachments,
  requestOf,
  validateCompose,
} from './compose-values';
import { HeadersInput } from './headers-input';
import { RecipientsInput } from './recipients-input';
import { dropDraft, useDraft } from './use-draft';

const FIRST_ERROR = '[aria-invalid="true"], [data-error] :is(input, textarea)';

type ComposeFormProps = { domains: string[]; initial: ComposeValues };

export function ComposeForm({ domains, initial }: ComposeFormProps) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [body, setBody] = useState<string | null>(initial.html && !initial.text ? 'html' : 'text');
  const form = useForm<ComposeValues>({ initialValues: initial, validate: validateCompose });
  const { values } = form;
  const root = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);
  const shouldFocusError = useRef(false);
  useDraft(values, form.isDirty());

  const send = useSendMessage({
    onSuccess: () => {
      dropDraft();
      void utils.messages.invalidate();
      void utils.overview.invalidate();
    },
    onError: (error) => {
      const found = toProblem(error);
      const fields = found.fields.map((field) => nameInMessage(field, values));
      setProblem(applyFieldErrors({ ...found, fields }, form, COMPOSE_FIELDS));
      focusFirstError();
    },
  });

  const focusFirstError = () => {
    shouldFocusError.current = true;
  };

  useEffect(() => {
    if (!shouldFocusError.current || Object.keys(form.errors).length === 0) return;
    shouldFocusError.current = false;
    root.current?.querySelector<HTMLElement>(FIRST_ERROR)?.focus();
  }, [form.errors]);

  const submit = async (valid: ComposeValues) => {
    if (isSending.current) return;
    isSending.current = true;
    setProblem(null);
    send.reset();
    try {
      const attachments = await readAttachments(valid.files);
      send.mutate(requestOf(valid, attachments), { onSettled: release });
    } catch (error) {
      release();
      form.setFieldError('files', error instanceof Error ? error.message : 'An attachment couldn’t be read.');
    }
  };

  const release = () => {
    isSending.current = false;
  };

  const clear = () => {
    dropDraft();
    form.setInitialValues({ ...EMPTY_COMPOSE, local: values.local, domain: values.domain });
    form.reset();
    send.reset();
    setProblem(null);
  };

  const recipients = values.to.length + values.cc.length + values.bcc.length;

  return (
    <div className={classes.compose}>
      <form
        ref={root}
        noValidate
        aria-label="Message"
        onSubmit={form.onSubmit((valid) => void submit(valid), focusFirstError)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <SettingsSection
          title="Envelope"
          hint="Enter addresses or paste a list. Bcc recipients are hidden from everyone else."
        >
          <Stack>
            <AddressFields
              label="From"
              groupLabel="Sender"
              domains={domains.map((name) => ({ id: name, name }))}
              local={form.getInputProps('local')}
              domain={form.getInputProps('domain')}
            />
            <RecipientsInput label="To" placeholder="ann@example.com" {...form.getInputProps('to')} value={values.to} />
            <FieldPair isStacked>
              <RecipientsInput label="Cc" {...form.getInputProps('cc')} value={values.cc} />
              <RecipientsInput label="Bcc" {...form.getInputProps('bcc')} value={values.bcc} />
            </FieldPair>
            <TextInput
              label="Reply-To (optional)"
              className="mono-input"
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps('replyTo')}
            />
          </Stack>
        </SettingsSection>
        <SettingsSection title="Message" hint="Text, HTML or both. Mail programs without HTML show the text.">
          <Stack>
            <TextInput label="Subject" maxLength={998} {...form.getInputProps('subject')} />
            <Tabs value={body} onChange={setBody} keepMounted>
              <Tabs.List aria-label="Body">
                <Tabs.Tab value="text">Text{form.errors.text && <span className="danger"> (error)</span>}</Tabs.Tab>
                <Tabs.Tab value="html">HTML{form.errors.html && <span className="danger"> (error)</span>}</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="text" pt={8}>
                <Textarea aria-label="Text body" autosize minRows={8} maxRows={20} {...form.getInputProps('text')} />
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
                  {...form.getInputProps('html')}
                />
              </Tabs.Panel>
            </Tabs>
          </Stack>
        </SettingsSection>
        <SettingsSection title="Attachments" hint="Up to 25 MB in total. The API accepts larger messages.">
          <AttachmentsInput {...form.getInputProps('files')} value={values.files} />
        </SettingsSection>
        <SettingsSection title="Headers" hint="Custom headers. Names must start with X-.">
          <HeadersInput {...form.getInputProps('headers')} value={values.headers} />
        </SettingsSection>
        <SendFooter
          problem={problem}
          state={
            Object.keys(form.errors).length > 0 ? (
              <StatusMark status="bounced">Fix the highlighted fields</StatusMark>
            ) : (
              <span className="quiet">{formatPlural(recipients, 'recipient')}</span>
            )
          }
        >
          <Button variant="subtle" color="gray" onClick={clear}>
            Clear form
          </Button>
          <Button variant="filled" type="submit" leftSection={<IconSend stroke={1.75} />} loading={send.isPending}>
            Send message
          </Button>
        </SendFooter>
      </form>
      <UnsavedGuard
        isDirty={values.files.length > 0 && !send.isSuccess}
        what="Your text is kept as a draft, but the attachments are dropped."
        action="Leave without attachments"
      />
      <aside className={classes.side} aria-label="Result and API equivalent">
        {send.data && <SendResult messageId={send.data.message_id} to={values.to} />}
        <ApiEquivalent values={values} />
      </aside>
    </div>
  );
}

function nameInMessage(field: ProblemField, values: ComposeValues): ProblemField {
  const at = /^(to|cc|bcc)\.(\d+)/.exec(field.path);
  const address = at && values[at[1] as 'to' | 'cc' | 'bcc'][Number(at[2])];
  if (address) return { ...field, message: `${address}: ${field.message}` };
  const header = /^headers\.(.+)$/.exec(field.path);
  return header ? { ...field, message: `${header[1]}: ${field.message}` } : field;
}
