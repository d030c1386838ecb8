'use client';

import { Button, Modal, PasswordInput, Select, TextInput } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { DialogFields, DialogFooter } from '@/components/dialogs/dialog';
import { CodeEditor } from '@/components/forms/code-editor';
import { Notice } from '@/components/layout/notice';
import { Endpoint } from '../operation-rows';
import { type CalledOperation, type CalledParameter, callOperation, type Received } from './request';
import { Response } from './response';
import classes from './try-dialog.module.css';

type TryDialogProps = { opened: boolean; operation: CalledOperation; onClose: () => void };

/** Kept until the page is left, to try several operations with it. */
let lastKey = '';

/** Calls an operation with the session or an API key, and shows the response. */
export function TryDialog({ opened, operation, onClose }: TryDialogProps) {
  const { id, method, path, summary, parameters, isPublic, isSessionOnly } = operation;
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(operation.body ?? '');
  const [key, setKey] = useState(isSessionOnly || isPublic ? '' : lastKey);
  const [state, setState] = useState<{ isBusy?: boolean; received?: Received; failure?: string }>({});
  // As it opens, the modal remembers where focus returns to. One that is mounted open would not.
  const isMounted = useMounted();

  const send = async (event: FormEvent) => {
    event.preventDefault();
    setState({ isBusy: true });
    try {
      setState({ received: await callOperation(operation, { values, body, key: key.trim() }) });
    } catch {
      setState({ failure: 'No response. Check the connection, then send the request again.' });
    }
  };

  return (
    <Modal opened={opened && isMounted} onClose={onClose} title={summary} size={720} yOffset={72}>
      <form onSubmit={send}>
        <DialogFields>
          <Endpoint method={method} path={path} />
          {method !== 'GET' && (
            <p className="soft">The request is real: what it changes or sends stays changed or sent.</p>
          )}
          {!isPublic && !isSessionOnly && (
            <PasswordInput
              label="API key"
              description="Leave empty to use your session."
              className="mono-input"
              autoComplete="off"
              data-autofocus={parameters.length === 0 || undefined}
              value={key}
              onChange={({ currentTarget }) => {
                lastKey = currentTarget.value.trim();
                setKey(currentTarget.value);
              }}
            />
          )}
          {parameters.length > 0 && (
            <div className={classes.parameters}>
              {parameters.map((parameter, index) => (
                <ParameterField
                  key={parameter.name}
                  isFirst={index === 0}
                  parameter={parameter}
                  value={values[parameter.name] ?? ''}
                  onChange={(value) => setValues({ ...values, [parameter.name]: value })}
                />
              ))}
            </div>
          )}
          {operation.body !== null && <CodeEditor label="Body" value={body} minRows={6} onChange={setBody} />}
          {state.failure && <Notice status="bounced" title={state.failure} role="alert" />}
          {state.received && <Response received={state.received} name={id} />}
        </DialogFields>
        <DialogFooter>
          <span className="spacer" />
          <Button onClick={onClose}>Close</Button>
          <Button variant="filled" type="submit" loading={state.isBusy}>
            Send request
          </Button>
        </DialogFooter>
      </form>
    </Modal>
  );
}

type ParameterFieldProps = {
  parameter: CalledParameter;
  isFirst: boolean;
  value: string;
  onChange: (value: string) => void;
};

function ParameterField({ parameter, isFirst, value, onChange }: ParameterFieldProps) {
  const { name, type, isRequired, values } = parameter;
  const props = { label: name, required: isRequired, value, placeholder: type, 'data-autofocus': isFirst || undefined };
  const choices = type === 'boolean' ? ['true', 'false'] : values;
  // An array takes several values.
  if (choices.length === 0 || type.startsWith('array'))
    return <TextInput {...props} className="mono-input" onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <Select {...props} data={choices} value={value || null} clearable onChange={(chosen) => onChange(chosen ?? '')} />
  );
}
