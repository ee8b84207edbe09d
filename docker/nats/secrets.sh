#!/bin/sh
# secrets.sh FOLDER [HOST[:PORT]...]: makes the secrets of the broker and its clients in a private folder: a certificate authority, a
# certificate for the servers of the broker, a user and a password each for `serve` and `worker`, and the addresses (NQ_STORE) with
# which these connect, at port 4222 or the one that is named. Without hosts: the three of compose.workers.yaml and of Kubernetes. It
# never overwrites existing secrets.
# secrets.sh --rotate FOLDER: the next of three steps to new secrets. After each step distribute the changed files and wait until all
# processes use them. No process loses its connection (docs/operations.md).
set -eu
usage() { echo "secrets.sh FOLDER [HOST[:PORT]...], or secrets.sh --rotate FOLDER" >&2; exit 2; }

new_key() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }

# The authority signs once: its key is deleted. The servers of the broker use the certificate among each other, too.
new_certificate() { # new_certificate HOST[:PORT]...
    names=
    for host; do
        host=${host%:*}
        case $host in *[!0-9.]*) names=$names,DNS:$host ;; *) names=$names,IP:$host ;; esac
    done
    new_key ca.key
    openssl req -x509 -new -key ca.key -days 3650 -subj "/CN=nqueensd-nats-ca-$(openssl rand -hex 4)" -addext keyUsage=critical,keyCertSign -out ca.crt
    new_key server.key
    openssl req -new -key server.key -subj /CN=nats -out server.csr
    cat >server.ext <<EXT
subjectAltName = ${names#,}
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
EXT
    openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -extfile server.ext -out server.crt
    rm -f ca.key ca.srl server.csr server.ext
}

new_user() { # new_user ROLE USER HOST[:PORT]...
    role=$1 user=$2; shift 2
    password=p$(openssl rand -hex 24) # a letter first: nats.conf would read digits as a number
    urls=
    for host; do
        case $host in *:*) ;; *) host=$host:4222 ;; esac
        urls=$urls,tls://$user:$password@$host
    done
    echo "NQ_STORE=${urls#,}" >"$role.env"
}

known() { sed -n "s|^NQ_STORE=[^,]*//\([^:/]*\):\([^@]*\)@.*|\\$2|p" "$1.env"; } # known serve|worker 1|2: the name, the password
hosts() { sed 's/^NQ_STORE=//' "$1" | tr , '\n' | sed 's/.*@//'; } # with their ports
another() { [ "$(known "$1" 1)" = "$1" ] && echo "$1"2 || echo "$1"; } # the broker accepts each user name only once

# The users of nats.conf. A user without permissions here is a worker, with the default permissions of nats.conf.
users() { # users FOLDER...: those of the addresses in these folders
    echo 'users: ['
    for folder; do
        echo "  {user: $(known "$folder/serve" 1), password: \"$(known "$folder/serve" 2)\", permissions: {publish: \">\", subscribe: \">\"}}"
        echo "  {user: $(known "$folder/worker" 1), password: \"$(known "$folder/worker" 2)\"}"
    done
    echo ']'
}

# Overwrites the file in place, because a container mounts the file itself. The mode is for the users in the containers; other users
# of this machine cannot enter the folder.
put() { cat >"$1.new" && cat "$1.new" >"$1" && rm "$1.new" && chmod 644 "$1"; }

make() { # make FOLDER HOST[:PORT]...
    mkdir -p "$1"
    chmod 700 "$1"
    (
        cd "$1"
        shift
        new_certificate "$@"
        new_user serve "$serve" "$@"
        new_user worker "$worker" "$@"
        chmod 644 ./*
    )
}

rotate() {
    cd "$1"
    if [ ! -e next ]; then
        serve=$(another serve) worker=$(another worker)
        # shellcheck disable=SC2046
        make making $(hosts serve.env)
        cat making/ca.crt ca.crt | put ca.crt
        users . making | put passwords.conf
        mv making next
        echo "Step 1 of 3: both authorities and both passwords are valid. Distribute to the broker, servers and workers."
    elif ! cmp -s server.crt next/server.crt; then
        for name in server.key serve.env worker.env server.crt; do put "$name" <"next/$name"; done
        echo "Step 2 of 3: the new certificate and passwords are in use, the old ones are still valid. Distribute to the broker, servers and workers."
    else
        put ca.crt <next/ca.crt
        users . | put passwords.conf
        rm -r next
        echo "Step 3 of 3: the old authority and passwords are no longer valid. Distribute to the broker, servers and workers."
    fi
}

case ${1-} in
--rotate)
    [ $# -eq 2 ] || usage
    [ -e "$2/ca.crt" ] || { echo "$2 has no secrets yet: run secrets.sh $2 first" >&2; exit 1; }
    rotate "$2"
    ;;
'' | -*) usage ;;
*)
    folder=$1; shift
    [ $# -gt 0 ] || set -- nats-0.nats nats-1.nats nats-2.nats
    [ ! -e "$folder/ca.crt" ] || { echo "$folder has secrets already: to replace them run secrets.sh --rotate $folder" >&2; exit 1; }
    serve=serve worker=worker
    make "$folder" "$@"
    cd "$folder"
    users . >passwords.conf
    chmod 644 passwords.conf
    ;;
esac
