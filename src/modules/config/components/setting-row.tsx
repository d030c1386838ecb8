import { StatusMark } from '@/components/marks/status-mark';
import { TextButton } from '@/components/text/text-button';
import { DateTime } from '@/components/values/date-time';
import type { Setting } from '../schema';
import classes from './config-page.module.css';
import { SettingInput } from './setting-input';
import { isEmptyValue, isSameValue, type SettingValue, unsetText, valueText } from './setting-value';

type SettingRowProps = {
  setting: Setting;
  /** Undefined without a change; null for the default. */
  draft: SettingValue | undefined;
  error: string | undefined;
  /** The warning that another page has because of the saved value. */
  warning: string | null;
  onChange: (value: SettingValue) => void;
  onShowHistory: () => void;
};

export function SettingRow({ setting, draft, error, warning, onChange, onShowHistory }: SettingRowProps) {
  const { key, label, description, mutable, problem } = setting;
  const value = draft === undefined ? setting.value : (draft ?? setting.default);
  const isDefault = isSameValue(value, setting.default);
  return (
    <li
      className={classes.row}
      data-changed={draft !== undefined || undefined}
      data-own={setting.source !== 'default' || undefined}
    >
      <div className={classes.name}>
        <div className={classes.title}>
          <h3>{label}</h3>
          <span className="mono quiet">{key}</span>
          {warning && (
            <span className={classes.warning} title={warning}>
              <StatusMark status="warning">{warning}</StatusMark>
            </span>
          )}
        </div>
        <p>{description}</p>
      </div>
      <div className={classes.value}>
        {mutable ? (
          <SettingInput setting={setting} value={value} error={error} onChange={onChange} />
        ) : (
          <Fixed setting={setting} />
        )}
        {problem && <p className={classes.problem}>{problem}</p>}
        {mutable && !isDefault && (
          <p className="soft">
            Default: {isEmptyValue(setting.default) ? unsetText(setting) : valueText(setting.default, setting.unit)}.{' '}
            <TextButton aria-label={`Use default: ${key}`} onClick={() => onChange(null)}>
              Use default
            </TextButton>
          </p>
        )}
        <div className={classes.source}>
          <Source setting={setting} />
          {setting.has_history && (
            <TextButton aria-label={`History: ${key}`} onClick={onShowHistory}>
              History
            </TextButton>
          )}
        </div>
      </div>
    </li>
  );
}

/** A value that can't be changed here: in the mono font, unless it is words. */
function Fixed({ setting }: { setting: Setting }) {
  const { value, unit } = setting;
  if (isEmptyValue(value)) return <p className={`soft ${classes.fixed}`}>{unsetText(setting)}</p>;
  const text = valueText(value, unit);
  return <p className={text === value ? `mono ${classes.fixed}` : classes.fixed}>{text}</p>;
}

function Source({ setting: { source, updated_at: at, updated_by: by } }: { setting: Setting }) {
  if (source === 'default') return null;
  if (source === 'environment') return <p>Set in the environment</p>;
  return (
    <p>
      Changed {at && <DateTime iso={at} />}
      {by && <> by {by.email}</>}
    </p>
  );
}
