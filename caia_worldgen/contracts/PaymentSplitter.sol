// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// Collects native coin and hands all of it out by fixed shares; what rounding leaves stays for next time.
contract PaymentSplitter {
    address[] public payees;
    mapping(address => uint256) public sharesOf;
    uint256 public totalShares;

    event Received(address indexed from, uint256 amount);
    event Paid(address indexed payee, uint256 amount);

    error BadShares();
    error NothingToPay();

    constructor(address[] memory payees_, uint256[] memory shares) {
        if (payees_.length == 0 || payees_.length != shares.length) revert BadShares();
        for (uint256 i = 0; i < payees_.length; i++) {
            if (shares[i] == 0 || sharesOf[payees_[i]] != 0) revert BadShares();
            sharesOf[payees_[i]] = shares[i];
            totalShares += shares[i];
        }
        payees = payees_;
    }

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    function distribute() external {
        uint256 held = address(this).balance;
        if (held < totalShares) revert NothingToPay();
        for (uint256 i = 0; i < payees.length; i++) {
            uint256 amount = (held * sharesOf[payees[i]]) / totalShares;
            emit Paid(payees[i], amount);
            Address.sendValue(payable(payees[i]), amount);
        }
    }
}
