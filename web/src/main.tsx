import { render } from "preact";
import { App } from "./app";
import { hurry } from "./pages";
import { applyTheme } from "./parts/use_theme";
import "./styles/theme.css";
import "./styles/frame.css";
import "./styles/parts.css";
import "./styles/charts.css";
import "./styles/pages.css";
import { here } from "./url/location";
import { fromPrometheus } from "./url/prometheus_links";
import { routeOf } from "./url/routes";

const target = fromPrometheus(here());
if (target) window.history.replaceState(null, "", target);

applyTheme();
hurry(routeOf(here().path));
render(<App />, document.getElementById("page") as HTMLElement);
