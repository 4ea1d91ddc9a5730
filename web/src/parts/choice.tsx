// A choice between a few options, all visible.
interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly options: readonly (readonly [Value, string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export function Choice<Value extends string>({ name, options, value, onChange }: ChoiceProps<Value>) {
  return (
    <div class="choice" role="group" aria-label={name}>
      {options.map(([option, text]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </div>
  );
}
