import { render } from "preact";
import { App } from "./app";
import { applyTheme } from "./parts/use_theme";
import "./styles/theme.css";
import "./styles/frame.css";
import "./styles/parts.css";
import "./styles/charts.css";
import "./styles/pages.css";

applyTheme();
render(<App />, document.getElementById("page") as HTMLElement);
