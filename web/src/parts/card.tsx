// A titled section of a page.
import type { ComponentChildren } from "preact";

interface CardProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly id?: string;
  readonly children: ComponentChildren;
}

export function Card({ title, note, actions, id, children }: CardProps) {
  return (
    <section class="card" id={id} aria-label={title}>
      <header class="card-head">
        <h2>{title}</h2>
        {note && <span class="note">{note}</span>}
        {actions && <div class="card-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
