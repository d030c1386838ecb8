'use client';

import { ActionIcon, Button, Checkbox, Input, Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus, IconTrash } from '@/components/icons/icons';
import { VARIABLE_TYPES } from '../../schema';
import type { DraftValues } from './use-preview';
import classes from './variables-input.module.css';

type Variable = DraftValues['variables'][number];

const NEW: Variable = { name: '', type: 'string', required: true };

/** The declared variables, each on a line. */
export function VariablesInput({ form }: { form: UseFormReturnType<DraftValues> }) {
  const { variables } = form.values;
  const change = (index: number, changes: Partial<Variable>) =>
    form.setFieldValue(
      'variables',
      variables.map((variable, at) => (at === index ? { ...variable, ...changes } : variable)),
    );
  return (
    <Input.Wrapper
      label="Variables"
      description="Each send provides the values. An optional variable can have a default."
      error={form.errors.variables}
    >
      {variables.length > 0 && (
        <div className={classes.head} aria-hidden="true">
          <span>Name</span>
          <span>Type</span>
          <span className={classes.defaultHead}>Default</span>
        </div>
      )}
      <ul className={classes.list} aria-label="Variables">
        {variables.map((variable, index) => {
          const what = variable.name || `variable ${index + 1}`;
          const errorOf = (field: string) => form.errors[`variables.${index}.${field}`];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: A variable has no other identity while its name is typed.
            <li key={index} className={classes.variable}>
              <TextInput
                aria-label={`Name of variable ${index + 1}`}
                className="mono-input"
                placeholder="name"
                maxLength={64}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                value={variable.name}
                error={errorOf('name')}
                onChange={(event) => change(index, { name: event.currentTarget.value })}
              />
              <Select
                aria-label={`Type of ${what}`}
                data={[...VARIABLE_TYPES]}
                allowDeselect={false}
                value={variable.type}
                onChange={(type) => change(index, { type: type as Variable['type'], default: undefined })}
              />
              <Checkbox
                className={classes.required}
                label="Required"
                aria-label={`${what} is required`}
                checked={variable.required}
                onChange={(event) => change(index, { required: event.currentTarget.checked, default: undefined })}
              />
              <TextInput
                aria-label={`Default of ${what}`}
                label="Default"
                labelProps={{ className: classes.defaultLabel }}
                className={classes.default}
                placeholder={variable.required ? 'No default' : 'Default'}
                disabled={variable.required}
                autoComplete="off"
                value={textOf(variable)}
                error={errorOf('default')}
                onChange={(event) => change(index, { default: defaultOf(variable, event.currentTarget.value) })}
              />
              <ActionIcon
                className={classes.remove}
                aria-label={`Remove ${what}`}
                onClick={() =>
                  form.setFieldValue(
                    'variables',
                    variables.filter((_, at) => at !== index),
                  )
                }
              >
                <IconTrash size={16} stroke={1.5} />
              </ActionIcon>
            </li>
          );
        })}
      </ul>
      <div>
        <Button
          size="xs"
          leftSection={<IconPlus stroke={1.75} />}
          onClick={() => form.setFieldValue('variables', [...variables, NEW])}
        >
          Add variable
        </Button>
      </div>
    </Input.Wrapper>
  );
}

function textOf({ default: value }: Variable): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The default as its type has it. A text that isn't JSON stays, and the schema says what is wrong with it. */
function defaultOf({ type }: Variable, text: string): unknown {
  if (text === '') return undefined;
  if (type === 'string' || type === 'date') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
