'use client';

import { Button, Checkbox, PasswordInput, Select, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { DialogFields, DialogFooter, DialogFrame } from '@/components/dialogs/dialog';
import { CodeEditor } from '@/components/forms/code-editor';
import { Notice } from '@/components/layout/notice';
import { uuidv7 } from '@/lib/uuid';
import { Endpoint } from '../operation-rows';
import { useReferenceState } from '../reference-state';
import { type Received, receive } from './receive';
import {
  type CalledOperation,
  type CalledParameter,
  keyOf,
  type Prepared,
  prepareRequest,
  type Unsendable,
} from './request';
import { Response } from './response';
import classes from './try-dialog.module.css';

type TryDialogProps = { opened: boolean; operation: CalledOperation; onClose: () => void };

type State = {
  isBusy?: boolean;
  unsendable?: Unsendable;
  failure?: string;
  sent?: { received: Received; prepared: Prepared; credentials: string };
};

const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** Calls an operation with the session or an API key, and shows the response. */
export function TryDialog({ opened, operation, onClose }: TryDialogProps) {
  const { id, method, path, summary, parameters, isPublic, isSessionOnly, isChanging, confirmation } = operation;
  const takesKey = !isPublic && !isSessionOnly;
  const { triedKey, setTriedKey } = useReferenceState();
  const key = takesKey ? triedKey : '';
  const [values, setValues] = useState(() => prefilledOf(operation));
  const [body, setBody] = useState(operation.prefilled);
  const [isConfirmed, setIsConfirmed] = useState(false);
  const [state, setState] = useState<State>({});
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    const prepared = prepareRequest(operation, { values, body, key });
    if ('errors' in prepared) return setState({ unsendable: prepared });
    const controller = new AbortController();
    running.current = controller;
    setState({ isBusy: true });
    setIsConfirmed(false);
    try {
      const received = await receive(prepared, controller.signal);
      setState({ sent: { received, prepared, credentials: credentialsOf(operation, key) } });
    } catch {
      const isRepeatable = !isChanging || Boolean(values[IDEMPOTENCY_KEY]);
      setState({ failure: failureOf(controller.signal.aborted, isRepeatable) });
    }
  };
  const close = () => {
    running.current?.abort();
    onClose();
  };

  return (
    <DialogFrame opened={opened} onClose={close} title={summary} size={720}>
      <form onSubmit={send}>
        <DialogFields>
          <Endpoint method={method} path={path} />
          {isChanging && <p className="soft">This calls the live API. Changes can’t be undone here.</p>}
          {takesKey && (
            <PasswordInput
              label="API key"
              description="Leave empty to use your session."
              className="mono-input"
              // Browsers fill a password in spite of "off".
              autoComplete="new-password"
              data-autofocus={parameters.length === 0 || undefined}
              value={key}
              error={state.unsendable?.keyError}
              onChange={({ currentTarget }) => setTriedKey(currentTarget.value)}
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
                  error={state.unsendable?.errors[parameter.name]}
                  onChange={(value) => setValues({ ...values, [parameter.name]: value })}
                />
              ))}
            </div>
          )}
          {operation.body !== null && <CodeEditor label="Body" value={body} minRows={6} onChange={setBody} />}
          {confirmation !== null && (
            <Checkbox
              label={`Confirm: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`}
              description={confirmation.replaceAll('`', '')}
              required
              checked={isConfirmed}
              onChange={(event) => setIsConfirmed(event.currentTarget.checked)}
            />
          )}
          {state.failure && <Notice status="bounced" title={state.failure} role="alert" />}
          <div role="status">
            {state.sent && (
              <Response
                {...state.sent}
                name={operation.file ?? `${id}.json`}
                download={key === '' && method === 'GET' ? state.sent.prepared.url : undefined}
              />
            )}
          </div>
        </DialogFields>
        <DialogFooter>
          <span className="spacer" />
          {state.isBusy ? (
            <Button onClick={() => running.current?.abort()}>Cancel request</Button>
          ) : (
            <Button onClick={close}>Close</Button>
          )}
          <Button variant="filled" type="submit" loading={state.isBusy}>
            Send request
          </Button>
        </DialogFooter>
      </form>
    </DialogFrame>
  );
}

/** A request that is sent a second time, because its response was lost, has the same key. */
function prefilledOf({ parameters }: CalledOperation): Record<string, string> {
  return parameters.some(({ name }) => name === IDEMPOTENCY_KEY) ? { [IDEMPOTENCY_KEY]: uuidv7() } : {};
}

function credentialsOf({ isPublic }: CalledOperation, key: string): string {
  if (isPublic) return '';
  return keyOf(key) === '' ? 'with your session' : 'with the API key';
}

function failureOf(isCancelled: boolean, isRepeatable: boolean): string {
  const what = isCancelled ? 'Cancelled.' : 'No response.';
  if (!isRepeatable) return `${what} The request may have been carried out. Check before you send it again.`;
  return isCancelled ? what : `${what} Check the connection, then send the request again.`;
}

type ParameterFieldProps = {
  parameter: CalledParameter;
  isFirst: boolean;
  value: string;
  error?: string;
  onChange: (value: string) => void;
};

function ParameterField({ parameter, isFirst, value, error, onChange }: ParameterFieldProps) {
  const { name, type, description, isRequired, values } = parameter;
  const props = {
    label: name,
    description: description.replaceAll('`', ''),
    required: isRequired,
    value,
    error,
    placeholder: type,
    'data-autofocus': isFirst || undefined,
  };
  const choices = type === 'boolean' ? ['true', 'false'] : values;
  // An array takes several values.
  if (choices.length === 0 || type.startsWith('array'))
    return <TextInput {...props} className="mono-input" onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <Select {...props} data={choices} value={value || null} clearable onChange={(chosen) => onChange(chosen ?? '')} />
  );
}
