/** The form, which comes after the rest of the page; and where a schema is too strange for it, word of that. */
import { signal } from "@preact/signals";
import { Component, type ComponentChildren, type ComponentProps, type JSX } from "preact";
import type { SchemaForm } from "../../forms/schema-form.tsx";

const form = signal<typeof SchemaForm | undefined>(undefined);

/** Not in the first load: the list and the questions do not wait for a library that only forms need. */
export async function loadForm(): Promise<void> {
  form.value = (await import("../../forms/schema-form.tsx")).SchemaForm;
}

interface GuardProps {
  readonly children: ComponentChildren;
  readonly onFailure: () => void;
}

class Guard extends Component<GuardProps, { readonly failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(): void {
    this.setState({ failed: true });
    this.props.onFailure();
  }

  override render(): ComponentChildren {
    return this.state.failed ? null : this.props.children;
  }
}

export function GuardedForm({
  onFailure,
  ...props
}: ComponentProps<typeof SchemaForm> & { readonly onFailure: () => void }): JSX.Element {
  const Form = form.value;
  if (Form === undefined) return <p class="nothing">The form is being fetched…</p>;
  return (
    <Guard onFailure={onFailure}>
      <Form {...props} />
    </Guard>
  );
}
