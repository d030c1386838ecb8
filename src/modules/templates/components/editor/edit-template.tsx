'use client';

import { Switch, TextInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { CodeEditor } from '@/components/forms/code-editor';
import { SaveBar } from '@/components/forms/save-bar';
import { trimmed } from '@/components/forms/use-api-form';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { SegmentedControl } from '@/components/segmented-control';
import { type Template, UpdateTemplate } from '../../schema';
import classes from './edit-template.module.css';
import { PreviewPane } from './preview-pane';
import { PublishBar } from './publish-bar';
import { usePreview } from './use-preview';
import { VariablesInput } from './variables-input';

/** One beside the other on wide screens. */
const VIEWS = { edit: 'Edit', preview: 'Preview' };

const LINE = /^Line (\d+),/;

export function EditTemplate({ template }: { template: Template }) {
  const utils = trpc.useUtils();
  const update = trpc.templates.update.useMutation();
  const { form, problem, onSubmit, isDirty, saveBar } = useSavedForm({
    schema: UpdateTemplate,
    saved: template,
    fields: {
      name: { label: 'Name' },
      subject: { label: 'Subject' },
      html_body: { label: 'HTML' },
      text_body: { label: 'Text' },
      variables: { label: 'Variables', text: (variables) => variables.map(({ name }) => name).join(', ') || 'None' },
      sample_data: { label: 'Sample data', text: (data) => JSON.stringify(data) },
    },
    toInput: (changes) => ({ id: template.id, ...trimmed(changes, ['name', 'subject']) }),
    submit: (input, loaded) => update.mutateAsync(ifUnchanged('template', loaded, input)),
    onSaved: async (saved) => {
      utils.templates.get.setData({ id: template.id }, saved);
      await utils.templates.list.invalidate();
    },
  });
  const formId = useId();
  const [view, setView] = useState<keyof typeof VIEWS>('edit');
  const preview = usePreview(template.id, form.values);
  const { html_body: html, text_body: text, sample_data: sample } = form.values;

  return (
    <>
      <PublishBar template={template} isDirty={isDirty} preview={preview}>
        <SaveBar {...saveBar} form={formId} isSecondary={!isDirty} />
      </PublishBar>
      <ProblemAlert problem={problem} />
      <div className={classes.view}>
        <SegmentedControl label="View" value={view} options={VIEWS} onChange={setView} />
      </div>
      <form
        id={formId}
        noValidate
        className={classes.editor}
        data-view={view}
        onSubmit={(event) => {
          // A field with an error gets the focus.
          flushSync(() => setView('edit'));
          onSubmit(event);
        }}
      >
        <div className={classes.fields}>
          <TextInput
            label="Name"
            className="mono-input"
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('name')}
          />
          <TextInput label="Subject" className="mono-input" autoComplete="off" {...form.getInputProps('subject')} />
          <CodeEditor
            label="HTML"
            description="Liquid: {{ name }} inserts a variable. HTML in values is shown as text."
            value={html ?? ''}
            error={form.errors.html_body}
            errorLines={linesOf(form.errors.html_body)}
            onChange={(next) => form.setFieldValue('html_body', next === '' ? null : next)}
          />
          <Switch
            label="Generate the text version from the HTML"
            checked={text === null}
            onChange={(event) =>
              form.setFieldValue('text_body', event.currentTarget.checked ? null : (preview.data?.text_body ?? ''))
            }
          />
          {text !== null && (
            <CodeEditor
              label="Text"
              description="Liquid: {{ name }} inserts a variable."
              minRows={8}
              value={text}
              error={form.errors.text_body}
              errorLines={linesOf(form.errors.text_body)}
              onChange={(next) => form.setFieldValue('text_body', next)}
            />
          )}
          <VariablesInput form={form} />
          <SampleInput
            value={sample}
            error={form.errors.sample_data}
            onChange={(next) => form.setFieldValue('sample_data', next)}
          />
        </div>
        <div className={classes.preview}>
          <PreviewPane preview={preview} />
        </div>
      </form>
      <UnsavedGuard isDirty={isDirty} what="Your changes to this template aren’t saved." />
    </>
  );
}

function linesOf(error: unknown): ReadonlySet<number> {
  const [, line] = LINE.exec(String(error ?? '')) ?? [];
  return new Set(line === undefined ? [] : [Number(line)]);
}

type Sample = Record<string, unknown>;

type SampleInputProps = { value: Sample; error?: ReactNode; onChange: (value: Sample) => void };

/** Sample data as JSON. While it is none, the value is the text, which the schema refuses. */
function SampleInput({ value, error, onChange }: SampleInputProps) {
  const [typed, setTyped] = useState<{ text: string; value: Sample } | null>(null);
  const text = typed && same(typed.value, value) ? typed.text : JSON.stringify(value, null, 2);
  return (
    <CodeEditor
      label="Sample data"
      description="JSON that the preview and tests use"
      minRows={6}
      value={text}
      error={error ?? (typeof value === 'string' ? 'This is no JSON object yet.' : undefined)}
      onChange={(next) => {
        const parsed = parse(next) as Sample;
        setTyped({ text: next, value: parsed });
        onChange(parsed);
      }}
    />
  );
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}
