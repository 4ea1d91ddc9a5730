{{- define "lockstep.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Names of objects; short enough for "-headless" and a pod's suffix behind them. */}}
{{- define "lockstep.fullname" -}}
{{- $name := include "lockstep.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "lockstep.selectorLabels" -}}
app.kubernetes.io/name: {{ include "lockstep.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "lockstep.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "lockstep.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* Takes a dict of image (repository, tag, digest) and root. */}}
{{- define "lockstep.image" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" .image.repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" .image.repository (default .root.Chart.AppVersion .image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "lockstep.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "lockstep.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Whether the chart writes a web.yml: "true" or nothing. */}}
{{- define "lockstep.writesWebConfig" -}}
{{- if and (not .Values.web.existingSecret) (or .Values.web.tls.secretName .Values.web.users .Values.web.tokens) -}}
true
{{- end -}}
{{- end -}}

{{/* Whether requests need credentials or a client certificate, which kubelet has not. */}}
{{- define "lockstep.asksForCredentials" -}}
{{- if or .Values.web.existingSecret .Values.web.users .Values.web.tokens .Values.web.tls.requireClientCertificates -}}
true
{{- end -}}
{{- end -}}

{{- define "lockstep.scheme" -}}
{{- default (ternary "https" "http" (ne .Values.web.tls.secretName "")) .Values.web.scheme -}}
{{- end -}}

{{/* lockstep.yml: what the chart sets, over .Values.config. */}}
{{- define "lockstep.config" -}}
{{- $storage := dict "shards" .Values.shards "retention" (dict "time" .Values.retention.time) -}}
{{- if .Values.retention.rules -}}{{- $_ := set $storage.retention "rules" .Values.retention.rules -}}{{- end -}}
{{- if .Values.retention.maxBytes -}}{{- $_ := set $storage "max-bytes" .Values.retention.maxBytes -}}{{- end -}}
{{- if .Values.retention.maxSeries -}}{{- $_ := set $storage "max-series" .Values.retention.maxSeries -}}{{- end -}}
{{- $web := dict -}}
{{- if or .Values.web.existingSecret (include "lockstep.writesWebConfig" .) -}}
{{- $_ := set $web "config" (dict "file" "/etc/lockstep/web/web.yml") -}}
{{- end -}}
{{- if .Values.web.externalUrl -}}{{- $_ := set $web "external-url" .Values.web.externalUrl -}}{{- end -}}
{{- if .Values.web.enableAdminApi -}}{{- $_ := set $web "enable-admin-api" true -}}{{- end -}}
{{- if .Values.web.enableLifecycle -}}{{- $_ := set $web "enable-lifecycle" true -}}{{- end -}}
{{- $own := dict "http" "0.0.0.0:9009" "data" "/var/lib/lockstep" "storage" $storage -}}
{{- if $web -}}{{- $_ := set $own "web" $web -}}{{- end -}}
{{- if .Values.otlpGrpc.enabled -}}{{- $_ := set $own "otlp-grpc" "0.0.0.0:4317" -}}{{- end -}}
{{- $files := list -}}
{{- if .Values.rules.shipped -}}{{- $files = append $files "/usr/share/lockstep/rules_pack/*.yml" -}}{{- end -}}
{{- if .Values.rules.files -}}{{- $files = append $files "/etc/lockstep/rules/*.yml" -}}{{- end -}}
{{- $files = concat $files (default list .Values.config.rule_files) -}}
{{- if $files -}}{{- $_ := set $own "rule_files" $files -}}{{- end -}}
{{- toYaml (mustMergeOverwrite (deepCopy .Values.config) $own) -}}
{{- end -}}

{{- define "lockstep.webConfig" -}}
{{- $web := dict -}}
{{- if .Values.web.tls.secretName -}}
{{- $tls := dict "cert_file" "/etc/lockstep/tls/tls.crt" "key_file" "/etc/lockstep/tls/tls.key" -}}
{{- if .Values.web.tls.requireClientCertificates -}}
{{- $_ := set $tls "client_auth_type" "RequireAndVerifyClientCert" -}}
{{- $_ := set $tls "client_ca_file" "/etc/lockstep/tls/ca.crt" -}}
{{- end -}}
{{- $_ := set $web "tls_server_config" $tls -}}
{{- end -}}
{{- if .Values.web.users -}}{{- $_ := set $web "basic_auth_users" .Values.web.users -}}{{- end -}}
{{- if .Values.web.tokens -}}
{{- $tokens := dict -}}
{{- range $name, $digest := .Values.web.tokens -}}{{- $_ := set $tokens $name (dict "sha256" $digest) -}}{{- end -}}
{{- $_ := set $web "lockstep_bearer_tokens" $tokens -}}
{{- end -}}
{{- toYaml $web -}}
{{- end -}}

{{/* How kubelet asks. Takes a dict of path and root. Where requests need credentials it only connects: the server listens
     when its store is recovered, and not before. */}}
{{- define "lockstep.probe" -}}
{{- if include "lockstep.asksForCredentials" .root -}}
tcpSocket: {port: http}
{{- else -}}
httpGet: {path: {{ .path }}, port: http, scheme: {{ include "lockstep.scheme" .root | upper }}}
{{- end -}}
{{- end -}}
